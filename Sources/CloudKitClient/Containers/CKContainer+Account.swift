import CloudRecords
import Foundation

extension CKContainer {
  /// Whether a user is signed in.
  ///
  /// | who is signed in | the server | the status |
  /// |---|---|---|
  /// | nobody | is not asked | `noAccount` |
  /// | a user | took the last request | `available` |
  /// | a user | refuses the token | `temporarilyUnavailable`: the user has to sign in again |
  /// | a user | cannot be asked | an error; with a completion handler, `couldNotDetermine` beside it |
  ///
  /// - Throws: What kept it from being found out, such as the want of a network or a mistake in the
  ///   configuration.
  public func accountStatus() async throws -> CKAccountStatus {
    let work = try work()
    guard work.session.credentials.isOfUser else { return .noAccount }
    if work.session.standing == .accepted { return .available }
    do throws(CKError) {
      _ = try await work.session.askWhoCalls(work.options)
      return .available
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      return .temporarilyUnavailable
    }
  }

  /// Whether a user is signed in.
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    Task {
      do { completionHandler(try await accountStatus(), nil) } catch {
        completionHandler(.couldNotDetermine, error)
      }
    }
  }

  /// The name of the user's record.
  public func userRecordID() async throws -> CKRecord.ID {
    let work = try work()
    guard let name = try await work.session.userRecordName(work.options) else {
      throw CKError(.notAuthenticated, "Nobody is signed in.")
    }
    return CKRecord.ID(received: name, zoneID: .default)
  }

  /// The name of the user's record.
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.userRecordID() }
  }
}

/// Gives a completion handler what an asynchronous function comes to.
func answer<Value: Sendable>(
  _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void,
  _ work: @escaping @Sendable () async throws -> Value
) {
  Task {
    do { handler(try await work(), nil) } catch { handler(nil, error) }
  }
}

/// Gives a completion handler what an asynchronous function comes to.
func answer<Value: Sendable>(
  _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void,
  _ work: @escaping @Sendable () async throws -> Value
) {
  Task {
    do { handler(.success(try await work())) } catch { handler(.failure(error)) }
  }
}
