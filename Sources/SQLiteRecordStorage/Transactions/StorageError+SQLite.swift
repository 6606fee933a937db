internal import RecordStorage
internal import SQLiteDriver

extension StorageError {
  /// Converts an SQLite error to a storage error.
  init(_ error: SQLiteError) {
    let system = error.context.systemError.map { " (system error \($0))" } ?? ""
    self.init(
      Self.code(of: error), "\(error.message)\(system). \(error.remedy)", place: error.context.path)
  }

  /// Runs SQLite calls, and converts their errors to `StorageError`.
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StorageError(error)
    }
  }

  private static func code(of error: SQLiteError) -> Code {
    // SQLite reports a full disk as an input/output error if it notices it late.
    if let number = error.context.systemError, systemErrorsOfFullDisks.contains(number) {
      return .full
    }
    switch error.code.primary {
    case .busy, .locked: return .busy
    case .full: return .full
    case .corrupt: return .damaged
    case .notADatabase: return .foreign
    case .readOnly: return .readOnly

    default: return .unavailable
    }
  }

  /// `ENOSPC` and `EDQUOT`.
  private static let systemErrorsOfFullDisks: Set<Int> = [28, 122]
}
