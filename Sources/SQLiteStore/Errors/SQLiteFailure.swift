import ObjectRows
import SQLiteDriver

/// What SQLite itself says of an error, for those who show it.
package struct SQLiteFailure {
  /// SQLite's extended result code.
  package let resultCode: Int
  /// SQLite's words and where it happened.
  package let message: String
  /// What the person who reads the error can do.
  package let remedy: String
  /// The file of the connection.
  package let path: String?
  /// The code in Cocoa's domain for an error that has no other.
  package let cocoaCode: Int

  /// SQLite's part in an error, which may be the cause of the error or the cause of its cause; nil
  /// where it has none.
  package init?(in error: any Error) {
    var next: (any Error)? = error
    while let store = next as? StoreError { next = store.underlying }
    guard let sqlite = next as? SQLiteError else { return nil }
    resultCode = Int(sqlite.code.rawValue)
    message = sqlite.description
    remedy = sqlite.remedy
    path = sqlite.context.path
    cocoaCode = Self.cocoaCode(of: sqlite.code).cocoaCode
  }

  private static func cocoaCode(of code: SQLiteError.Code) -> StoreError.Code {
    switch code.primary {
    case .full: .outOfSpace
    case .corrupt, .notADatabase: .notAStore
    case .cannotOpen: .cannotOpen
    case .readOnly: .readOnly
    case .busy, .locked: .timeout
    default: .sqlite
    }
  }
}
