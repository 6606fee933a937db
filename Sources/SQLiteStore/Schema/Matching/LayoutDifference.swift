/// A table, column, index, or trigger that a store's file should have and lacks, or has under
/// another name.
package struct LayoutDifference: Hashable, Sendable {
  /// The table that lacks it, or the missing table.
  package let table: String
  /// The missing column, if any.
  package var column: String?
  /// The columns of the missing index, if any.
  package var index: String?
  /// The column that should be the table's primary key and is not, if any.
  package var key: String?
  /// The difference, as a phrase that follows “The store has”.
  ///
  /// It begins with “no” if a part is missing.
  let what: String

  /// The difference, as a sentence.
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
  /// The differences of a table: the missing table itself, or its missing columns.
  func differences(_ columns: [String], in table: String, of owner: String) -> [LayoutDifference] {
    guard hasTable(table) else { return [.noTable(table, of: owner)] }
    return columns.filter { !has($0, in: table) }.map { .noColumn($0, in: table, of: owner) }
  }

  /// The difference if a column exists and is not the table's primary key.
  package func keyDifference(_ column: String, in table: String) -> LayoutDifference? {
    guard has(column, in: table), !isKey(column, of: table) else { return nil }
    return LayoutDifference(
      table: table, key: column,
      what:
        """
        no key of rows in \(table): \(column) is not an INTEGER PRIMARY KEY there, so rows may \
        share a key or have none
        """
    )
  }
}
