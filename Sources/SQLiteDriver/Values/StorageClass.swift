internal import CSQLite

/// The storage class of a value in a row, before any conversion.
public enum StorageClass: Sendable {
  case integer
  case real
  case text
  case blob
  case null

  /// Creates the storage class of a type code.
  ///
  /// - Parameter code: One of SQLite's five type codes; any other code counts as null.
  init(code: Int32) {
    switch code {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
