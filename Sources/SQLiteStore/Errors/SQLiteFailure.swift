import ObjectRows
import SQLiteDriver

/// SQLite's own description of an error, for programs that show it.
package struct SQLiteFailure {
  /// SQLite's extended result code.
  package let resultCode: Int
  /// SQLite's message, and where the error happened.
  package let message: String
  /// The remedy for the error.
  package let remedy: String
  /// The file of the connection.
  package let path: String?
  /// The code in Cocoa's error domain for an error without a more specific code.
  package let cocoaCode: Int

  /// Finds SQLite's failure in an error or in its chain of causes; nil if there is none.
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
