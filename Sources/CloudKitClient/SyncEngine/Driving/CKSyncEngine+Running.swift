import CloudRecords
import Foundation
import Synchronization

extension CKSyncEngine {
  /// The engine whose delegate is being told or asked something.
  @TaskLocal static var engineThatTells: ObjectIdentifier?

  /// What requests are made with, in the name of who was signed in when that was last looked at.
  func work(_ group: CKOperationGroup?) throws(CKError) -> DatabaseWork {
    let work = try presentWork(group)
    guard scheduling.withLock({ $0.session }) === work.session else { throw CKError.otherUser }
    return work
  }

  /// What requests are made with, whoever is signed in.
  private func presentWork(_ group: CKOperationGroup?) throws(CKError) -> DatabaseWork {
    var work = try database.work()
    let own = database.configuration ?? CKOperation.Configuration()
    work.options = CallOptions(
      own.filled(from: group?.defaultConfiguration), at: work.session.dependencies.steady())
    return work
  }

  /// Time and chance: the machine's while the container is bound to no server.
  var dependencies: ClientDependencies {
    (try? database.container.session())?.dependencies ?? .machine
  }

  // MARK: Telling

  /// Tells the program something.
  ///
  /// - Throws: Where nobody is there any more: what is not told must not be noted.
  func tell(_ event: Event) async throws(CKError) {
    let delegate = try liveDelegate()
    await Self.$engineThatTells.withValue(ObjectIdentifier(self)) {
      await delegate.handleEvent(event, syncEngine: self)
    }
  }

  /// Asks the program something.
  func ask<Answer: Sendable>(
    _ question: (any CKSyncEngineDelegate) async -> Answer
  ) async throws(CKError) -> Answer {
    let delegate = try liveDelegate()
    return await Self.$engineThatTells.withValue(ObjectIdentifier(self)) {
      await question(delegate)
    }
  }

  private func liveDelegate() throws(CKError) -> any CKSyncEngineDelegate {
    guard let delegate = scheduling.withLock({ $0.delegate }) else {
      throw CKError(
        .internalError,
        "The delegate of the sync engine is gone. Keep it for as long as the engine.")
    }
    return delegate
  }

  /// Gives the program what is to be kept, where that changed.
  func tellUpdate() async throws(CKError) {
    guard let serialization = state.takeUpdate() else { return }
    try await tell(.stateUpdate(Event.StateUpdate(stateSerialization: serialization)))
  }

  // MARK: Syncing by hand

  /// Does something that the program waits for, after everything that is being done.
  func sync(
    _ wishes: SyncSchedule.PendingActions,
    _ body: @escaping @Sendable (CKSyncEngine) async throws(CKError) -> Void
  ) async throws {
    guard Self.engineThatTells != ObjectIdentifier(self) else {
      throw CKError(
        .invalidArguments,
        "A delegate cannot sync while it is told or asked something: both would wait for each other. Add pending changes, or use Task.detached."
      )
    }
    let job = lane.add(isSync: true) { [self] in
      do throws(CKError) {
        guard try await lookAtAccount() else {
          throw CKError(.notAuthenticated, "Nobody is signed in.")
        }
        try await body(self)
      } catch {
        retry(wishes, after: error)
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

  /// Looks who is signed in, and tells where that changed.
  ///
  /// - Returns: Whether somebody is.
  func lookAtAccount() async throws(CKError) -> Bool {
    let work = try presentWork(nil)
    try work.checkIsWanted()
    scheduling.withLock { $0.session = work.session }
    let user = try await work.session.userRecordName(work.options)
    try await note(user, in: work.session.address.container)
    return user != nil
  }

  private func note(_ user: String?, in container: ContainerAddress) async throws(CKError) {
    let known = state.current
    let change = AccountDecision.change(
      from: known.user, to: user, isElsewhere: known.isElsewhere(than: container))
    guard change != nil || (user != nil && known.container != container) else { return }
    state.apply(.account(user, in: container))
    if let change { try await tell(.accountChange(Event.AccountChange(changeType: change))) }
    try await tellUpdate()
  }
}
