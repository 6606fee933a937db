import Foundation

/// Long-lived operations, which a later process can resume.
///
/// An operation whose configuration has `isLongLived` is persisted before its first request, in an
/// owner-only folder next to the accounts. It is removed after its completion block was called, or
/// when it is cancelled. A later process finds the operations that an earlier one did not finish:
///
/// ```swift
/// for name in try await container.allLongLivedOperationIDs() {
///   let found = try await container.longLivedOperation(for: name)
///   guard let operation = found as? CKModifyRecordsOperation else { continue }
///   operation.modifyRecordsResultBlock = { result in … }
///   container.add(operation)
/// }
/// ```
///
/// Unlike on Apple's systems, nothing runs while no process of the app runs.
extension CKContainer {
  /// Returns the IDs of the unfinished long-lived operations of this process and of earlier ones.
  ///
  /// Only operations of the current account are included. An operation whose file is damaged is
  /// left out; ``longLivedOperation(for:)`` throws for it.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
    let binding = try binding()
    return try binding.longLived.names(of: try binding.caller())
  }

  /// Returns an unfinished long-lived operation, to set its blocks and add it again; nil if there
  /// is none with this ID.
  ///
  /// If the operation is running in this process, the new object waits for its end and then repeats
  /// the request.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    let binding = try binding()
    guard let archive = try binding.longLived.archive(of: operationID, for: try binding.caller())
    else { return nil }
    guard let operation = archive.operation(named: operationID, in: self) else {
      throw CKError(
        .internalError,
        "The stored long-lived operation \(operationID) is damaged, or a later version of this library wrote it. Create a new operation."
      )
    }
    return operation
  }

  /// Fetches the IDs of the unfinished long-lived operations.
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    answer(completionHandler) { try await self.allLongLivedOperationIDs() }
  }

  /// Fetches an unfinished long-lived operation; nil if there is none with this ID.
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
