import Foundation
import Synchronization

extension CKSyncEngine {
  // MARK: Triggers

  /// Handles a reason to sync.
  func note(_ trigger: SyncSchedule.Trigger) {
    guard automaticallySync else { return }
    change { $0.note(trigger, at: $1.now()) }
  }

  /// Handles a change of the state by the app.
  func stateWasChanged(hasPendingChanges: Bool) {
    let isUnderWay = scheduling.withLock { scheduling in
      defer { scheduling.isUpdateUnderWay = true }
      return scheduling.isUpdateUnderWay
    }
    if !isUnderWay {
      queue.add(isSync: false) { [weak self] in
        self?.scheduling.withLock { $0.isUpdateUnderWay = false }
        try await self?.deliverStateUpdate()
      }
    }
    if hasPendingChanges { note(.changesAdded) }
  }

  /// Handles an account change: cancels running work, unless the change concerns another container.
  func accountWasChanged() {
    // Before the first account check, no work can be running for another account.
    guard let known = scheduling.withLock({ $0.session }) else { return note(.accountChanged) }
    if known === (try? database.container.session()) { return }
    _ = queue.cancel()
    if automaticallySync { return note(.accountChanged) }
    queue.add(isSync: false) { [weak self] in _ = try await self?.checkAccount() }
  }

  /// Schedules a retry after a manual sync has failed, if the engine syncs automatically.
  func retry(_ actions: SyncSchedule.PendingActions, after error: CKError) {
    guard automaticallySync, error.isRetried, !Task.isCancelled else { return }
    change { $0.retry(actions, after: error, at: $1.now(), chance: $1.chance()) }
  }

  // MARK: The clock

  /// Changes the schedule, and waits for its next alarm.
  private func change(_ body: (inout SyncSchedule, ClientDependencies) -> SyncSchedule.DateTimer?) {
    let dependencies = dependencies
    scheduling.withLock { scheduling in
      guard let alarm = body(&scheduling.schedule, dependencies) else { return }
      scheduling.timer?.cancel()
      scheduling.timer = Task { [weak self] in
        let seconds = alarm.date.timeIntervalSince(dependencies.now())
        if seconds > 0 {
          do { try await dependencies.wait(.seconds(seconds)) } catch { return }
        }
        self?.fire(alarm.ticket)
      }
    }
  }

  private func fire(_ ticket: Int) {
    guard let actions = scheduling.withLock({ $0.schedule.fire(ticket) }) else { return }
    queue.add(isSync: true) { [weak self] in await self?.run(actions) }
  }

  /// Checks the subscription periodically, if the server does not report its end.
  func watchSubscription(isNeeded: Bool) {
    let dependencies = dependencies
    scheduling.withLock { scheduling in
      guard isNeeded != (scheduling.watch != nil) else { return }
      scheduling.watch?.cancel()
      scheduling.watch = nil
      guard isNeeded else { return }
      scheduling.watch = Task { [weak self] in
        while (try? await dependencies.wait(SyncLimits.longestTrust)) != nil {
          guard let self else { return }
          self.scheduling.withLock { $0.subscription.isInDoubt() }
          self.note(.push)
        }
      }
    }
  }

  // MARK: Syncing

  /// Runs a scheduled sync, and schedules the next one.
  private func run(_ actions: SyncSchedule.PendingActions) async {
    var failure: CKError?
    do throws(CKError) { try await sync(actions) } catch { failure = error }
    let isCancelled = Task.isCancelled
    change { schedule, dependencies in
      isCancelled
        ? schedule.cancelled(at: dependencies.now())
        : schedule.end(failure, at: dependencies.now(), chance: dependencies.chance())
    }
  }

  private func sync(_ actions: SyncSchedule.PendingActions) async throws(CKError) {
    // Without a user there is nothing to do. Signing in triggers the next sync.
    guard try await checkAccount() else { return }
    var failure: CKError?
    do throws(CKError) { try await subscribe() } catch { failure = error }
    if actions.contains(.fetch) {
      do throws(CKError) {
        try await fetch(FetchChangesContext(reason: .scheduled, options: FetchChangesOptions()))
      } catch {
        // A full disk prevents fetching, but not sending.
        guard error.isLocal else { throw error }
        failure = failure ?? error
      }
    }
    if actions.contains(.send), state.current.hasSomethingToSend {
      try await send(SendChangesContext(reason: .scheduled, options: SendChangesOptions()))
    }
    if let failure { throw failure }
  }

  /// Ensures that there is a subscription.
  private func subscribe() async throws(CKError) {
    let (used, now) = (state.current.subscriptionID, dependencies.now())
    guard used == nil || scheduling.withLock({ $0.subscription.isDue(at: now) }) else { return }
    let work = try work(nil)
    let known = try await work.allSubscriptions().filter { $0 is CKDatabaseSubscription }.map(
      \.subscriptionID)
    // A generated ID is never reused after its subscription is gone, because another app may use it
    // now. An ID from the app is.
    let name =
      wantedSubscriptionID ?? known.first { $0 == used } ?? known.sorted().first
      ?? dependencies.makeName()
    if !known.contains(name) {
      var failure: CKError?
      try await work.modifySubscriptions(
        saving: [CKDatabaseSubscription(subscriptionID: name)], deleting: [],
        saved: { if case .failure(let error) = $1 { failure = error } }, deleted: { _, _ in })
      if let failure { throw failure }
    }
    scheduling.withLock { $0.subscription.looked(at: now) }
    guard name != used else { return }
    state.apply(.subscribed(name))
    try await deliverStateUpdate()
  }
}
