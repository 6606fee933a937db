import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Finds the external files that the rows of a store use.
struct ExternalNames {
  let schema: StoreSchema

  /// The names of the files.
  ///
  /// - Parameter database: The name of the database on the connection, such as `main`.
  func read(_ connection: Connection, in database: String) throws(SQLiteError) -> Set<String> {
    var names: Set<String> = []
    for (table, column) in columns {
      let rows = try connection.rows(
        "SELECT \(column) FROM \(database).\(table) WHERE substr(\(column), 1, 1) = x'02'")
      for case .blob(let bytes)? in rows.map(\.first) {
        if case .file(let name) = ExternalReference(stored: Data(bytes)) { names.insert(name) }
      }
    }
    return names
  }

  /// The columns whose values may be in files; entities of one table share columns.
  private var columns: [(table: String, column: String)] {
    var known: Set<String> = []
    var found: [(table: String, column: String)] = []
    for entity in schema.entities {
      for (property, column) in zip(entity.layout.properties, entity.columns) {
        guard let column else { continue }
        let leaves = column.leaves.map { ($0.attribute, $0.name) }
        let own = (property as? NSAttributeDescription).map { [($0, column.name)] } ?? []
        for (attribute, name) in column.isComposite ? leaves : own
        where attribute.allowsExternalBinaryDataStorage
          && known.insert("\(entity.table).\(name)").inserted
        {
          found.append((entity.table, name))
        }
      }
    }
    return found
  }
}
