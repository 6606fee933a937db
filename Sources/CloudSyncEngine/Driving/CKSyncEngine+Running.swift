import CloudKitClient
import CloudRecords
import Foundation
import SyncKernel
import Synchronization

extension CKSyncEngine {
  /// The engine whose delegate is being called.
  @TaskLocal static var callingEngine: ObjectIdentifier?

  /// Prepares requests, and throws if the session is not that of the last account check.
  func requests(_ group: CKOperationGroup?) throws(CKError) -> SyncRequests {
    let requests = try SyncRequests(to: database, group)
    guard scheduling.withLock({ $0.session }) === requests.session else { throw CKError.otherUser }
    return requests
  }

  /// The clock and randomness of the container, or the system's while the container is not bound to
  /// a server.
  var dependencies: ClientDependencies {
    (try? database.container.session())?.dependencies ?? .machine
  }

  // MARK: Calling the delegate

  /// Delivers an event to the delegate.
  ///
  /// - Throws: An error if the delegate is gone. An undelivered event must not change the state.
  func deliver(_ event: Event) async throws(CKError) {
    let delegate = try liveDelegate()
    await Self.$callingEngine.withValue(ObjectIdentifier(self)) {
      await delegate.handleEvent(event, syncEngine: self)
    }
  }

  /// Calls a method of the delegate that returns a value.
  func callDelegate<Answer: Sendable>(
    _ question: (any CKSyncEngineDelegate) async -> Answer
  ) async throws(CKError) -> Answer {
    let delegate = try liveDelegate()
    return await Self.$callingEngine.withValue(ObjectIdentifier(self)) { await question(delegate) }
  }

  private func liveDelegate() throws(CKError) -> any CKSyncEngineDelegate {
    guard let delegate = scheduling.withLock({ $0.delegate }) else {
      throw CKError(
        .internalError,
        "The delegate of the sync engine was released. Retain it as long as the engine.")
    }
    return delegate
  }

  /// Delivers a state update if the state has changed.
  func deliverStateUpdate() async throws(CKError) {
    guard let serialization = state.takeUpdate() else { return }
    try await deliver(.stateUpdate(Event.StateUpdate(stateSerialization: serialization)))
  }

  // MARK: Manual syncing

  /// Runs a sync that the app waits for, after all running and queued work.
  func sync(
    _ actions: SyncSchedule.PendingActions,
    _ body: @escaping @Sendable (CKSyncEngine) async throws(CKError) -> Void
  ) async throws {
    guard Self.callingEngine != ObjectIdentifier(self) else {
      throw CKError(
        .invalidArguments,
        "A delegate's method cannot wait for a sync, because the sync waits for the method. Add pending changes, or use Task.detached."
      )
    }
    // Notices an account change by another process before the job is added, so that the change does
    // not cancel the job.
    _ = try? database.container.session()
    let job = queue.add(isCancellable: true) { [self] in
      do throws(CKError) {
        guard try await checkAccount() else {
          throw CKError(.notAuthenticated, "No user is signed in.")
        }
        try await body(self)
      } catch {
        retry(actions, after: error)
        throw error
      }
    }
    try await withTaskCancellationHandler {
      try await job.value
    } onCancel: {
      job.cancel()
    }
  }

  // MARK: Accounts

  /// Checks the account, and reports a change.
  ///
  /// - Returns: Whether a user is signed in.
  func checkAccount() async throws(CKError) -> Bool {
    let requests = try SyncRequests(to: database, nil)
    try requests.checkCancellation()
    scheduling.withLock { $0.session = requests.session }
    let user = try await requests.userRecordName()
    try await note(user, in: requests.session.address.container)
    return user != nil
  }

  private func note(_ user: String?, in container: ContainerAddress) async throws(CKError) {
    let known = state.current
    guard
      let change = AccountDecision.change(
        from: known.user, to: user, isElsewhere: known.isElsewhere(than: container))
    else { return }
    state.apply(.account(user, in: container))
    try await deliver(.accountChange(Event.AccountChange(changeType: change)))
    try await deliverStateUpdate()
  }
}
