import CloudKitClient
import Foundation
import SyncKernel
import Synchronization

extension CKSyncEngine {
  // MARK: Triggers

  /// Handles a reason to sync.
  func note(_ trigger: SyncSchedule.Trigger) {
    guard automaticallySync else { return }
    change { $0.note(trigger, at: $1) }
  }

  /// Handles a change of the state by the app.
  func stateWasChanged(hasPendingChanges: Bool) {
    let isUnderWay = scheduling.withLock { scheduling in
      defer { scheduling.isUpdateUnderWay = true }
      return scheduling.isUpdateUnderWay
    }
    if !isUnderWay {
      queue.add { [weak self] in
        self?.scheduling.withLock { $0.isUpdateUnderWay = false }
        try await self?.deliverStateUpdate()
      }
    }
    if hasPendingChanges { note(.changesAdded) }
  }

  /// Handles an account change: cancels running work, unless the session is still the same.
  func accountWasChanged() {
    // Before the first account check, no work can be running for another account.
    guard let known = scheduling.withLock({ $0.session }) else { return note(.accountChanged) }
    if known === (try? database.container.session()) { return }
    _ = queue.cancel()
    if automaticallySync { return note(.accountChanged) }
    queue.add { [weak self] in _ = try await self?.checkAccount() }
  }

  /// Schedules a retry after a manual sync has failed, if the engine syncs automatically.
  func retry(_ actions: SyncSchedule.PendingActions, after error: CKError) {
    guard automaticallySync, error.isRetried, !Task.isCancelled else { return }
    let chance = dependencies.chance()
    change { $0.retry(actions, after: error, at: $1, chance: chance) }
  }

  // MARK: The clock

  /// Changes the schedule, and starts what is due or waits for the next alarm.
  private func change(_ body: (inout SyncSchedule, Date) -> Void) {
    let dependencies = dependencies
    let now = dependencies.now()
    let sync = scheduling.withLock { scheduling in
      body(&scheduling.schedule, now)
      let sync = scheduling.schedule.next(at: now)
      scheduling.timer.set(scheduling.schedule.alarm, at: now, waiting: dependencies.wait) {
        [weak self] number in self?.fire(number)
      }
      return sync
    }
    guard let sync else { return }
    queue.add(isCancellable: true) { [weak self] in await self?.run(sync) }
  }

  private func fire(_ number: Int) {
    // If the clock has not reached the alarm, `change` sets the timer again.
    if scheduling.withLock({ $0.timer.take(number) }) { change { _, _ in } }
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
        while (try? await dependencies.wait(KernelLimits.longestTrust)) != nil {
          guard let self else { return }
          self.scheduling.withLock { $0.subscription.isInDoubt() }
          self.note(.push(nil))
        }
      }
    }
  }

  // MARK: Syncing

  /// Runs a scheduled sync, and schedules the next one.
  private func run(_ sync: SyncSchedule.Sync) async {
    var failure: CKError?
    do throws(CKError) { try await perform(sync) } catch { failure = error }
    let (isCancelled, chance) = (Task.isCancelled, dependencies.chance())
    change { schedule, now in
      if isCancelled {
        schedule.cancelled()
      } else {
        schedule.end(failure, at: now, chance: chance)
      }
    }
  }

  private func perform(_ sync: SyncSchedule.Sync) async throws(CKError) {
    // Without a user there is nothing to do. Signing in triggers the next sync.
    guard try await checkAccount() else { return }
    var failure: CKError?
    do throws(CKError) { try await subscribe() } catch { failure = error }
    if sync.actions.contains(.fetch) {
      do throws(CKError) {
        try await fetch(
          FetchChangesContext(reason: .scheduled, options: FetchChangesOptions()),
          changed: sync.changedZones)
      } catch {
        // Only a temporary error prevents sending as well; a full disk does not.
        guard !error.isTemporary else { throw error }
        failure = failure ?? error
      }
    }
    if sync.actions.contains(.send), state.current.hasSomethingToSend {
      try await send(SendChangesContext(reason: .scheduled, options: SendChangesOptions()))
    }
    if let failure { throw failure }
  }

  /// Ensures that there is a subscription.
  private func subscribe() async throws(CKError) {
    let (used, now) = (state.current.subscriptionID, dependencies.now())
    let before = scheduling.withLock { $0.subscription }
    guard used == nil || before.isDue(at: now) else { return }
    let requests = try requests(nil)
    let known = try await requests.databaseSubscriptionIDs()
    // After a subscription is gone, its ID is reused only if the app has chosen it. Otherwise the
    // subscription may have been another app's.
    let name =
      wantedSubscriptionID ?? known.first { $0 == used } ?? known.sorted().first
      ?? dependencies.makeName()
    if !known.contains(name) { try await requests.subscribe(as: name) }
    scheduling.withLock { $0.subscription.looked(at: now, asOf: before) }
    guard name != used else { return }
    state.apply(.subscribed(name))
    try await deliverStateUpdate()
  }
}
