import Synchronization

/// The long-lived operations of a container on this machine: those that run, and those that a
/// process did not end.
///
/// An operation that was fetched and is cancelled before it begins is forgotten as well.
///
/// ```
/// begins ──▶ kept ──▶ runs ──▶ told its end ──▶ forgotten
///              ▲                                   (the process ends before: it stays kept)
///              └── fetched by its name, added again ──┘
/// ```
///
/// Nothing asks the cloud while no process runs. What a process leaves is asked anew when a program
/// fetches the operation and adds it, which does no harm: what had been done by then is found done
/// (see `DESIGN.md`, “What may have come twice”).
package final class LongLivedOperations: Sendable {
  private let store: any OperationStore
  private let place: CloudAddress
  /// Who waits for the end of an operation that runs, by its name.
  private let running = Mutex<[CKOperation.ID: [CheckedContinuation<Void, Never>]]>([:])

  package init(_ store: any OperationStore, at place: CloudAddress) {
    self.store = store
    self.place = place
  }

  /// The names of the operations of a user, those that run among them.
  ///
  /// Damaged ones are left out, since nobody can say whose they are; who asks for one by its name
  /// is told.
  package func names(of user: TokenKey?) throws(CKError) -> [CKOperation.ID] {
    var names: [CKOperation.ID] = []
    for name in try store.names(at: place).sorted() where try sound(name)?.user == user {
      names.append(name)
    }
    return names
  }

  /// What a user's operation asks for; nil where no such one is kept.
  package func archive(of name: CKOperation.ID, for user: TokenKey?) throws(CKError)
    -> OperationArchive?
  {
    guard let archive = try archive(of: name), archive.user == user else { return nil }
    return archive
  }

  private func sound(_ name: CKOperation.ID) throws(CKError) -> OperationArchive? {
    try store.bytes(of: name, at: place).flatMap { OperationArchive($0) }
  }

  private func archive(of name: CKOperation.ID) throws(CKError) -> OperationArchive? {
    guard let bytes = try store.bytes(of: name, at: place) else { return nil }
    guard let archive = OperationArchive(bytes) else {
      throw CKError(
        .internalError,
        "What was kept of the long-lived operation \(name) is damaged, or a later version of this library wrote it. Remove its file from the folder “operations” beside the accounts, and ask anew."
      )
    }
    return archive
  }

  /// Keeps an operation, after any other object for the same one has ended.
  ///
  /// - Returns: Whether the operation is kept: a disk may be full, and an operation be of a kind
  ///   that is not kept.
  package func begin(_ name: CKOperation.ID, _ archive: OperationArchive?) async -> Bool {
    while !takesTurn(name) { await end(of: name) }
    guard let archive else { return false }
    do {
      try store.keep(archive.bytes, of: name, at: place)
      return true
    } catch {
      return false
    }
  }

  /// - Returns: False where another object for the operation runs.
  private func takesTurn(_ name: CKOperation.ID) -> Bool {
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

  /// Forgets an operation that nobody wants any more, unless another object for it runs.
  package func forget(_ name: CKOperation.ID) {
    running.withLock { running in
      guard running[name] == nil else { return }
      // A file that cannot be removed is listed again, and can be cancelled again.
      do { try store.forget(name, at: place) } catch {}
    }
  }

  /// Notes that the program was told the end of an operation.
  package func end(_ name: CKOperation.ID) {
    // A file that cannot be removed names an operation that is done; adding it again finds it done.
    do { try store.forget(name, at: place) } catch {}
    let waiting = running.withLock { $0.removeValue(forKey: name) } ?? []
    for continuation in waiting { continuation.resume() }
  }
}
