/// The declared type of a column, which determines how its values are stored.
package enum ColumnKind: String, Sendable {
  /// Integers, Booleans, and the keys of to-one relationships.
  case integer = "INTEGER"
  /// Floating-point numbers.
  case float = "FLOAT"
  /// Points in time, as seconds since 2001.
  case timestamp = "TIMESTAMP"
  /// Decimal numbers, as SQLite's numbers.
  case decimal = "DECIMAL"
  /// Texts and URIs.
  case varchar = "VARCHAR"
  /// Bytes: UUIDs, binary values and transformed ones.
  case blob = "BLOB"

  /// The type in a table's definition.
  package var sqlType: String { rawValue }
}
