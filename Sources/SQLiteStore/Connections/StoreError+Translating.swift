package import ObjectRows
package import SQLiteDriver

extension StoreError {
  /// The store's error for a failure of SQLite.
  package init(_ error: SQLiteError) {
    var context: [String: String] = ["sqliteCode": String(error.code.rawValue)]
    context["path"] = error.context.path
    context["sql"] = error.context.sql
    self.init(Self.code(of: error), error.description, context: context, underlying: error)
  }

  private static func code(of error: SQLiteError) -> Code {
    // The system's error is more specific than SQLite's if a disk or a quota is full.
    if let number = error.context.systemError, [noSpaceLeft, quotaExceeded].contains(number) {
      return .outOfSpace
    }
    switch error.code.primary {
    case .busy, .locked, .lockProtocol: return .timeout
    case .full: return .outOfSpace
    case .readOnly, .permission: return .readOnly
    case .cannotOpen: return .cannotOpen
    case .notADatabase, .corrupt: return .notAStore
    default: return .sqlite
    }
  }

  private static let noSpaceLeft = 28
  private static let quotaExceeded = 122

  /// Runs `body` and turns SQLite's errors into a store's errors.
  package static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw StoreError(error) }
  }

  static func readOnly(_ location: Connection.Location) -> StoreError {
    StoreError(
      .readOnly,
      "The store \(location) was opened for reading only. Open it without NSReadOnlyPersistentStoreOption.",
      context: ["path": location.description])
  }

  static func closed(_ location: Connection.Location) -> StoreError {
    StoreError(
      .cannotOpen, "The store \(location) was closed. Add it to a coordinator again.",
      context: ["path": location.description])
  }
}
