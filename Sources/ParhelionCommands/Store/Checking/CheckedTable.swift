import ManagedObjectModel
import SQLiteStore

/// A table of rows, with the entities whose rows it may contain.
struct CheckedTable {
  struct Entity {
    let number: Int
    let name: String
    let isAbstract: Bool
  }

  let name: String
  /// The entities, the root first.
  ///
  /// The root's row in `Z_PRIMARYKEY` counts the keys.
  let entities: [Entity]

  var root: Entity { entities[0] }

  /// The name, quoted for SQL: without a model, it comes from the file and may be any text.
  var quotedName: String { name.quotedForSQL }

  var numberList: String { entities.map { String($0.number) }.joined(separator: ", ") }

  /// The tables of a model.
  static func all(in schema: StoreSchema) -> [CheckedTable] {
    schema.tables.map { table in
      CheckedTable(
        name: table.name,
        entities: table.entities.map {
          Entity(number: $0.number, name: $0.name, isAbstract: $0.entity.isAbstract)
        })
    }
  }

  /// The tables of a file without a known model.
  static func all(in file: FileSchema) -> [CheckedTable] {
    let rows = file.primaryKeys.filter { !$0.isFrameworks }
    let byNumber = Dictionary(rows.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    let roots = rows.map { row in
      var root = row
      var seen: Set<Int> = []
      while let above = byNumber[root.superNumber], seen.insert(root.number).inserted {
        root = above
      }
      return root.number
    }
    return rows.filter { $0.superNumber == 0 }.map { root in
      let members = zip(rows, roots).filter { $0.1 == root.number && $0.0.number != root.number }
        .map(\.0)
      return CheckedTable(
        name: "Z\(root.name.uppercased())",
        entities: ([root] + members).map {
          Entity(number: $0.number, name: $0.name, isAbstract: false)
        })
    }
  }
}

extension FileSchema.PrimaryKeyRow {
  /// The first number of the framework's own entities: the history's, and mirroring's.
  private static let frameworkNumbers = 16_000

  var isFrameworks: Bool { number >= Self.frameworkNumbers }
}

extension String {
  /// The text as a quoted SQL name.
  var quotedForSQL: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
