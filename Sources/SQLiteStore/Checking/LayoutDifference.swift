/// Something that the file of a store should have and has not.
package struct LayoutDifference: Hashable, Sendable {
  /// The table that lacks it, or that is missing itself.
  package let table: String
  /// The column that is missing, where one is.
  package var column: String?
  /// The columns of the index that is missing, where one is.
  package var index: String?
  /// The column that should be the key of its table's rows, where it is none.
  package var key: String?
  /// What is missing, as it stands after “The store has”: it begins with “no”.
  let what: String

  /// What is missing, as a sentence.
  package var message: String { "The store has \(what)." }

  static func noTable(_ table: String, of owner: String) -> LayoutDifference {
    LayoutDifference(table: table, what: "no table \(table), which \(owner) needs")
  }

  static func noColumn(_ column: String, in table: String, of owner: String) -> LayoutDifference {
    LayoutDifference(
      table: table, column: column,
      what: "no column \(column) in the table \(table), which \(owner) needs")
  }
}

extension FileSchema {
  /// What is missing of a table, the table itself or columns of it.
  func gaps(_ columns: [String], in table: String, of owner: String) -> [LayoutDifference] {
    guard hasTable(table) else { return [.noTable(table, of: owner)] }
    return columns.filter { !has($0, in: table) }.map { .noColumn($0, in: table, of: owner) }
  }

  /// What is missing where a column is there and is not what SQLite knows the table's rows by.
  package func keyGap(_ column: String, in table: String) -> LayoutDifference? {
    guard has(column, in: table), !isKey(column, of: table) else { return nil }
    return LayoutDifference(
      table: table, key: column,
      what:
        "no key of rows in \(table): \(column) is no INTEGER PRIMARY KEY there, so rows may have the same or none"
    )
  }
}
