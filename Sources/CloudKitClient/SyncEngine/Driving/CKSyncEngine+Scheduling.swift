import Foundation
import Synchronization

extension CKSyncEngine {
  // MARK: What happens outside

  /// There is a reason to sync.
  func note(_ trigger: SyncSchedule.Trigger) {
    guard automaticallySync else { return }
    change { $0.note(trigger, at: $1.now()) }
  }

  /// The program changed what is to be sent.
  func stateWasChanged(isToBeSent: Bool) {
    let isUnderWay = scheduling.withLock { scheduling in
      defer { scheduling.isUpdateUnderWay = true }
      return scheduling.isUpdateUnderWay
    }
    if !isUnderWay {
      lane.add(isSync: false) { [weak self] in
        self?.scheduling.withLock { $0.isUpdateUnderWay = false }
        try await self?.tellUpdate()
      }
    }
    if isToBeSent { note(.changesAdded) }
  }

  /// Somebody signed in or out: what is under way is of no use any more, unless that was in another
  /// container.
  func accountWasChanged() {
    // Where the account was not looked at yet, nothing is under way for another one.
    guard let known = scheduling.withLock({ $0.session }) else { return note(.accountChanged) }
    if known === (try? database.container.session()) { return }
    _ = lane.cancel()
    if automaticallySync { return note(.accountChanged) }
    lane.add(isSync: false) { [weak self] in _ = try await self?.lookAtAccount() }
  }

  /// Something that the program asked for failed: an engine that syncs by itself tries again.
  func retry(_ wishes: SyncSchedule.PendingActions, after error: CKError) {
    guard automaticallySync, error.isTriedAgain, !Task.isCancelled else { return }
    change { $0.retry(wishes, after: error, at: $1.now(), chance: $1.chance()) }
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
    guard let wishes = scheduling.withLock({ $0.schedule.fire(ticket) }) else { return }
    lane.add(isSync: true) { [weak self] in await self?.run(wishes) }
  }

  /// Looks once in a while whether the subscription is there, and fetches what was missed, where
  /// nobody tells that it has ended.
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

  // MARK: What is done

  /// Does what was wanted, and plans what comes next.
  private func run(_ wishes: SyncSchedule.PendingActions) async {
    var failure: CKError?
    do throws(CKError) { try await sync(wishes) } catch { failure = error }
    let isCancelled = Task.isCancelled
    change { schedule, dependencies in
      isCancelled
        ? schedule.cancelled(at: dependencies.now())
        : schedule.end(failure, at: dependencies.now(), chance: dependencies.chance())
    }
  }

  private func sync(_ wishes: SyncSchedule.PendingActions) async throws(CKError) {
    // While nobody is signed in there is nothing to do: signing in is a reason to sync.
    guard try await lookAtAccount() else { return }
    var failure: CKError?
    do throws(CKError) { try await subscribe() } catch { failure = error }
    if wishes.contains(.fetch) {
      do throws(CKError) {
        try await fetch(FetchChangesContext(reason: .scheduled, options: FetchChangesOptions()))
      } catch {
        // What a full disk keeps from coming keeps nothing from going.
        guard error.isOfThisMachine else { throw error }
        failure = failure ?? error
      }
    }
    if wishes.contains(.send), state.current.hasSomethingToSend {
      try await send(SendChangesContext(reason: .scheduled, options: SendChangesOptions()))
    }
    if let failure { throw failure }
  }

  /// Makes sure that the server tells of changes.
  private func subscribe() async throws(CKError) {
    let (used, now) = (state.current.subscriptionID, dependencies.now())
    guard used == nil || scheduling.withLock({ $0.subscription.isDue(at: now) }) else { return }
    let work = try work(nil)
    let known = try await work.allSubscriptions().filter { $0 is CKDatabaseSubscription }.map(
      \.subscriptionID)
    // One that is gone is not made again under its name, unless the program chose it: others may
    // use the name for something else now.
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
    try await tellUpdate()
  }
}
