import Foundation

/// Operations that a later process carries on.
///
/// An operation whose configuration says `isLongLived` is written down before it asks anything, in
/// a folder beside the accounts that only their owner can look into, and is forgotten when its
/// final block was called, or when it is cancelled. What a process did not end, the next one finds:
///
/// ```swift
/// for name in try await container.allLongLivedOperationIDs() {
///   guard let operation = try await container.longLivedOperation(for: name) as? CKModifyRecordsOperation else { continue }
///   operation.modifyRecordsResultBlock = { result in … }
///   container.add(operation)
/// }
/// ```
///
/// Unlike on Apple's systems nothing goes on while no process of the program runs.
extension CKContainer {
  /// The names of the long-lived operations that have not ended: of this process, and of former
  /// ones.
  ///
  /// They are those of whoever is signed in. One whose file is damaged is not among them:
  /// ``longLivedOperation(for:)`` says what is wrong with it.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
    let binding = try binding()
    return try binding.longLived.names(of: try binding.caller())
  }

  /// A long-lived operation that has not ended, to be given blocks and added again; nil where there
  /// is none of the name.
  ///
  /// Where it runs in this process, the new object waits for the end of that one and asks again.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    let binding = try binding()
    guard let archive = try binding.longLived.archive(of: operationID, for: try binding.caller())
    else { return nil }
    guard let operation = archive.operation(named: operationID, in: self) else {
      throw CKError(
        .internalError,
        "What the long-lived operation \(operationID) asked for is damaged, or a later version of this library wrote it. Ask anew."
      )
    }
    return operation
  }

  /// The names of the long-lived operations that have not ended.
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.allLongLivedOperationIDs() }
  }

  /// A long-lived operation that has not ended; nil where there is none of the name.
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    Task {
      do {
        completionHandler(try await longLivedOperation(for: operationID), nil)
      } catch {
        completionHandler(nil, error)
      }
    }
  }
}
