import Synchronization

/// The long-lived operations of a container: running ones, and those that an earlier process did
/// not finish.
///
/// ```
/// starts ──▶ persisted ──▶ running ──▶ completion block called ──▶ removed
///                ▲                              (if the process ends earlier, it stays persisted)
///                └── fetched by its ID, added again ──┘
/// ```
///
/// A fetched operation that is cancelled before it starts is removed, too. Requests are sent only
/// while a process runs. When an app fetches an unfinished operation and adds it, the requests are
/// repeated. This is safe, because requests that were performed before are recognized (see
/// “Ambiguous requests” in `DESIGN.md`).
package final class LongLivedOperations: Sendable {
  private let store: any OperationStore
  private let address: CloudAddress
  /// The continuations that wait for a running operation to end, by its ID.
  private let running = Mutex<[CKOperation.ID: [CheckedContinuation<Void, Never>]]>([:])

  package init(_ store: any OperationStore, at address: CloudAddress) {
    self.store = store
    self.address = address
  }

  /// Returns the IDs of a user's operations, running ones included.
  ///
  /// Damaged ones are left out, because their user is unknown. Fetching one by its ID throws.
  package func names(of user: TokenKey?) throws(CKError) -> [CKOperation.ID] {
    var names: [CKOperation.ID] = []
    for name in try store.names(at: address).sorted() where try sound(name)?.user == user {
      names.append(name)
    }
    return names
  }

  /// Returns a user's operation; nil if none with this ID is stored.
  package func archive(of name: CKOperation.ID, for user: TokenKey?) throws(CKError)
    -> OperationArchive?
  {
    guard let archive = try archive(of: name), archive.user == user else { return nil }
    return archive
  }

  private func sound(_ name: CKOperation.ID) throws(CKError) -> OperationArchive? {
    try store.bytes(of: name, at: address).flatMap { OperationArchive($0) }
  }

  private func archive(of name: CKOperation.ID) throws(CKError) -> OperationArchive? {
    guard let bytes = try store.bytes(of: name, at: address) else { return nil }
    guard let archive = OperationArchive(bytes) else {
      throw CKError(
        .internalError,
        "The stored long-lived operation \(name) is damaged, or a later version of this library wrote it. Remove its file from the folder “operations” next to the accounts, and create a new operation."
      )
    }
    return archive
  }

  /// Persists an operation, after any other object for the same operation has ended.
  ///
  /// - Returns: Whether the operation was persisted. The disk may be full, or the operation may be
  ///   of an unsupported kind.
  package func begin(_ name: CKOperation.ID, _ archive: OperationArchive?) async -> Bool {
    while !claimsRun(name) { await end(of: name) }
    guard let archive else { return false }
    do {
      try store.keep(archive.bytes, of: name, at: address)
      return true
    } catch {
      return false
    }
  }

  /// Marks the operation as running.
  ///
  /// - Returns: False if another object for the operation is running.
  private func claimsRun(_ name: CKOperation.ID) -> Bool {
    running.withLock { running in
      guard running[name] == nil else { return false }
      running[name] = []
      return true
    }
  }

  private func end(of name: CKOperation.ID) async {
    await withCheckedContinuation { waiter in
      let hasEnded = running.withLock { running in
        running[name]?.append(waiter)
        return running[name] == nil
      }
      if hasEnded { waiter.resume() }
    }
  }

  /// Removes a cancelled operation, unless another object for it is running.
  package func forget(_ name: CKOperation.ID) {
    running.withLock { running in
      guard running[name] == nil else { return }
      // If the file cannot be removed, the operation stays listed and can be cancelled again.
      do { try store.forget(name, at: address) } catch {}
    }
  }

  /// Removes an operation whose completion block was called, and resumes the waiters.
  package func end(_ name: CKOperation.ID) {
    // If the file cannot be removed, adding the operation again finds its work done.
    do { try store.forget(name, at: address) } catch {}
    let waiting = running.withLock { $0.removeValue(forKey: name) } ?? []
    for continuation in waiting { continuation.resume() }
  }
}
