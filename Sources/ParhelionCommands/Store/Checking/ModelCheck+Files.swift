import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

extension ModelCheck {
  /// Checks external files: each value must have its file, and each file its value.
  mutating func checkExternalFiles() throws(SQLiteError) {
    var files = ExternalFileCheck(of: snapshot)
    for table in schema.tables {
      for (attribute, column) in table.storedAttributes
      where attribute.allowsExternalBinaryDataStorage {
        try check(attribute, column, of: table, &files)
      }
    }
    for message in files.orphans() { warn("externalFile", message) }
  }

  private mutating func check(
    _ attribute: NSAttributeDescription, _ column: String, of table: TableSchema,
    _ files: inout ExternalFileCheck
  ) throws(SQLiteError) {
    var statement = try connection.prepare(
      "SELECT Z_PK, CASE WHEN length(\(column)) < 64 THEN \(column) END FROM \(table.name) WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) <> x'01' ORDER BY Z_PK"
    )
    while try statement.step() {
      let key = statement.row.int64(at: 0)
      guard let bytes = statement.row.blob(at: 1),
        case .file(let name) = ExternalReference(stored: Data(bytes))
      else {
        note(
          "row", table: table.name, row: key,
          "\(column) does not begin with a byte that says where the value is stored.")
        continue
      }
      if let issue = files.issue(with: name, of: attribute.name, in: table.name, key) {
        note("externalFile", table: table.name, row: key, issue)
      }
    }
  }
}

extension TableSchema {
  /// The attributes in the table, each with its column; a composite attribute is represented by its
  /// elements.
  var storedAttributes: [(attribute: NSAttributeDescription, column: String)] {
    var known: Set<String> = []
    return entities.flatMap { entity in
      zip(entity.layout.properties, entity.columns).flatMap {
        property, column -> [(NSAttributeDescription, String)] in
        guard let attribute = property as? NSAttributeDescription, let column else { return [] }
        let stored =
          column.isComposite
          ? column.leaves.map { ($0.attribute, $0.name) } : [(attribute, column.name)]
        return stored.filter { known.insert($0.1).inserted }
      }
    }
  }
}
