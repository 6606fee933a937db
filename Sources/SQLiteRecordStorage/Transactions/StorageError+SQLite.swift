internal import RecordStorage
internal import SQLiteDriver

extension StorageError {
  /// What SQLite said, as the store says it.
  init(_ error: SQLiteError) {
    var place = error.context.path ?? ""
    if let number = error.context.systemError { place += ", system error \(number)" }
    self.init(Self.code(of: error), "\(error.message): \(error.remedy)", place: place)
  }

  /// Runs calls of SQLite, whose errors become the store's.
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StorageError(error)
    }
  }

  private static func code(of error: SQLiteError) -> Code {
    // SQLite calls a disk without room an input or output error where it noticed it late.
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
