import CloudRecords
import Foundation

extension CKContainer {
  /// Returns the account's status.
  ///
  /// | user | server | status |
  /// |---|---|---|
  /// | not signed in | not contacted | `noAccount` |
  /// | signed in | accepted the last request | `available` |
  /// | signed in | rejects the token | `temporarilyUnavailable`: the user has to sign in again |
  /// | signed in | cannot be reached | an error |
  ///
  /// With a completion handler, an error comes with the status `couldNotDetermine`.
  ///
  /// - Throws: An error if the status cannot be determined, for example without a network or with
  ///   an invalid configuration.
  public func accountStatus() async throws -> CKAccountStatus {
    let work = try work()
    guard work.session.credentials.isOfUser else { return .noAccount }
    if work.session.standing == .accepted { return .available }
    do throws(CKError) {
      _ = try await work.session.fetchCaller(work.options)
      return .available
    } catch {
      guard error.code == .notAuthenticated else { throw error }
      return .temporarilyUnavailable
    }
  }

  /// Passes the account's status to a completion handler.
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    Task {
      do { completionHandler(try await accountStatus(), nil) } catch {
        completionHandler(.couldNotDetermine, error)
      }
    }
  }

  /// Returns the record ID of the current user.
  public func userRecordID() async throws -> CKRecord.ID {
    let work = try work()
    guard let name = try await work.session.userRecordName(work.options) else {
      throw CKError(.notAuthenticated, "No user is signed in.")
    }
    return CKRecord.ID(received: name, zoneID: .default)
  }

  /// Passes the record ID of the current user to a completion handler.
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.userRecordID() }
  }
}

/// Passes the result of an asynchronous function to a completion handler.
func answer<Value: Sendable>(
  _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void,
  _ work: @escaping @Sendable () async throws -> Value
) {
  Task {
    do { handler(try await work(), nil) } catch { handler(nil, error) }
  }
}

/// Passes the result of an asynchronous function to a completion handler.
func answer<Value: Sendable>(
  _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void,
  _ work: @escaping @Sendable () async throws -> Value
) {
  Task {
    do { handler(.success(try await work())) } catch { handler(.failure(error)) }
  }
}
