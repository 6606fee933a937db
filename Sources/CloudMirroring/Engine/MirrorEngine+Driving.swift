import CloudKitClient
package import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
package import MirrorModel
import SyncKernel
import Synchronization

/// The steps that an engine runs by itself or that a program requests.
extension MirrorEngine {
  /// Starts the engine; if it is automatic, it runs steps from now on.
  package func start() {
    // Files that a crashed program left.
    mirror.assets.removeLeftovers()
    observe()
    note(.start)
    listenIfNeeded()
  }

  /// Stops the engine after its current step.
  package func end() {
    // Observers are released outside the lock, because their blocks may need it.
    let ended = driving.withLock { driving in
      defer { (driving.observers, driving.listening) = ([], nil) }
      driving.machine.note(.stop, at: mirror.now)
      driving.timer.cancel()
      return driving
    }
    ended.listening?.cancel()
    ledger.close()
  }

  /// Returns when the current work of the engine has ended.
  package func settle() async { await queue.run {} }

  /// Handles an event that may require a step.
  ///
  /// - Parameter zone: The zone of the event; nil if it may concern any.
  package func note(_ trigger: MirrorMachine.Trigger, in zone: RecordZoneIdentifier? = nil) {
    news.note(trigger, zone)
    driving.withLock { $0.machine.note(trigger, at: mirror.now) }
    log(.decisions, "\(trigger)")
    if isAutomatic { drive() }
    publisher.stateChanged(self)
  }

  /// Handles a decision of the program, and returns whether the engine waited for it.
  func decide(_ decision: MirrorMachine.Trigger) -> Bool {
    let isAwaited = machine.awaits(decision)
    if isAwaited { note(decision) }
    return isAwaited
  }

  // MARK: Driving

  /// Enqueues a job that runs all due steps, or sets the timer.
  private func drive() {
    let now = mirror.now
    let isNews = driving.withLock { driving in
      guard !driving.isDriven, driving.machine.due(at: now) != nil else { return false }
      driving.isDriven = true
      return true
    }
    guard isNews else { return setTimer(at: now) }
    queue.add { [weak self] in await self?.runAll() }
  }

  /// Runs all due steps.
  private func runAll() async {
    var now: Date
    repeat {
      await runDue()
      now = mirror.now
    } while driving.withLock { [now] driving in
      driving.isDriven = driving.machine.due(at: now) != nil
      return driving.isDriven
    }
    setTimer(at: now)
    publisher.stateChanged(self)
  }

  private func runDue() async {
    while await runNext() != nil {}
  }

  /// Runs the due step; nil if there is none.
  private func runNext() async -> (step: MirrorStep, outcome: MirrorOutcome)? {
    let now = mirror.now
    guard let step = driving.withLock({ $0.machine.next(at: now) }) else { return nil }
    // While a step hangs, the timer must still report that the store has stalled.
    if isAutomatic { setTimer(at: now) }
    let outcome = await received(step)
    // A container may be bound to its server after its stores were added.
    if step == .setUp, outcome.failure == nil { listenIfNeeded() }
    let chance = mirror.clock.chance()
    // An import may have consequences that must be sent, such as deletions by delete rules.
    let hasUnsent = step == .importing && outcome.hasMoved && mayHaveUnsent
    driving.withLock { driving in
      driving.machine.end(outcome, at: mirror.now, chance: chance)
      if hasUnsent { driving.machine.note(.unsentFound, at: mirror.now) }
    }
    logEnd(of: step, outcome)
    logBlockers()
    publisher.stateChanged(self)
    return (step, outcome)
  }

  /// Runs the due step for a caller that drives the engine; nil if there is none.
  package func runNextStep() async -> (step: MirrorStep, outcome: MirrorOutcome)? {
    await queue.run { [self] in await runNext() }
  }

  /// Runs one step, and publishes its start and its end.
  private func received(_ step: MirrorStep) async -> MirrorOutcome {
    let event = step.eventType.map {
      NSPersistentCloudKitContainerEvent(
        identifier: mirror.dependencies.makeUUID(), storeIdentifier: mirror.storeIdentifier,
        type: $0, startDate: mirror.now)
    }
    driving.withLock { $0.event = event }
    log(.steps, "\(step) begins")
    if let event { publisher.began(event, self) }
    let outcome = await run(step)
    let failure = outcome.failure ?? outcome.blockers.first
    let error = failure?.cocoaError(in: step)
    driving.withLock { driving in
      driving.event = nil
      if outcome.failure != nil { driving.error = error }
    }
    if let event {
      publisher.ended(
        event.ended(at: mirror.now, error: error), self,
        isStepComplete: outcome.isStepComplete(step))
    }
    return outcome
  }

  /// Sets the timer for the machine's next alarm after a time.
  ///
  /// An alarm that becomes due meanwhile is not missed.
  private func setTimer(at now: Date) {
    driving.withLock { driving in
      driving.timer.set(driving.machine.alarm(at: now), at: now, waiting: mirror.clock.wait) {
        [weak self] number in self?.timerFired(number)
      }
    }
  }

  /// Handles the timer.
  ///
  /// The clock may lag behind the timer, so the machine decides whether to wait again.
  private func timerFired(_ number: Int) {
    guard driving.withLock({ $0.timer.take(number) }) else { return }
    note(.timer)
    logBlockers()
  }

  // MARK: On demand

  /// Runs all steps now, without delays, until both sides have the data that existed at the call.
  ///
  /// - Parameter comparesNames: Whether to compare all names of a public database, which has no
  ///   feed that reports deletions.
  /// - Throws: The blocker.
  package func syncNow(comparesNames: Bool = true) async throws(MirrorError) {
    let failure = await queue.run { [self] in
      news.note(.asked, nil)
      driving.withLock { $0.machine.note(.asked, at: mirror.now) }
      importer.unreadable.isToBeAsked.store(true, ordering: .relaxed)
      if comparesNames { importer.unreadable.needsNameComparison.store(true, ordering: .relaxed) }
      await runCallerWork()
      // Later saves are included once: continuous saves must not block the caller.
      driving.withLock { $0.machine.includeLaterSaves(at: mirror.now) }
      await runCallerWork()
      return driving.withLock { driving in
        driving.machine.endCallerWork()
        return driving.machine.syncBlocker(at: mirror.now)
      }
    }
    if isAutomatic { drive() }
    if let failure { throw failure }
  }

  /// Runs the requested steps.
  ///
  /// Changes that are reported meanwhile are handled later, so that they do not delay the caller.
  private func runCallerWork() async {
    while driving.withLock({ $0.machine.hasCallerWork(at: mirror.now) }), await runNext() != nil {}
  }

  // MARK: Triggers

  /// Observes saves, here and in other processes, account changes, and new keys.
  private func observe() {
    let identity = mirror.coordinatorID
    var observers: [NotificationObserver] = []
    func add(
      _ name: Notification.Name, _ body: @escaping @Sendable (MirrorEngine, Notification) -> Void
    ) {
      observers.append(
        NotificationObserver(name) { [weak self] in if let self { body(self, $0) } })
    }
    for name in [Notification.Name.NSManagedObjectContextDidSave, OpenStore.batchExecuted] {
      add(name) { engine, notification in
        guard let context = notification.object as? NSManagedObjectContext, context.parent == nil,
          context.persistentStoreCoordinator.map(ObjectIdentifier.init) == identity,
          context.transactionAuthor != MirrorNames.importAuthor
        else { return }
        engine.note(.saved)
      }
    }
    // It is posted after a delay. A caller that drives the engine decides when to look.
    if isAutomatic {
      add(.NSPersistentStoreRemoteChange) { engine, notification in
        guard notification.userInfo?[NSStoreUUIDKey] as? String == engine.mirror.storeIdentifier,
          notification.userInfo?[RemoteChangeMonitor.isByOthersKey] as? Bool != false
        else { return }
        if engine.mayHaveUnsent { engine.note(.unsentFound) }
      }
    }
    observers += [
      mirror.container.observe(.CKAccountChanged) { [weak self] in self?.note(.accountChanged) },
      mirror.container.observe(ContainerBinding.keysArrived) { [weak self] in
        self?.importer.unreadable.isToBeAsked.store(true, ordering: .relaxed)
        self?.note(.keysArrived)
      },
    ]
    driving.withLock { [observers] in $0.observers = observers }
  }

  /// Whether an export has something to do, such as to report that the ledger cannot be read.
  private var mayHaveUnsent: Bool {
    do {
      try ledger.catchUp()
      return try ledger.outbox.isAnythingPending || ledger.hasDeferred
    } catch { return true }
  }

  /// Starts listening at most once.
  ///
  /// Setup may call this concurrently when it starts and when it ends.
  private func listenIfNeeded() {
    guard isAutomatic, mirror.scope != .public else { return }
    let isNews = driving.withLock { driving in
      guard driving.listening == nil, driving.machine.isStarted else { return false }
      let silence = MirrorError(.notListening, "The push connection is not open yet.")
      driving.machine.note(.silence(silence), at: mirror.now)
      driving.listening = listen()
      return true
    }
    guard isNews else { return }
    drive()
    publisher.stateChanged(self)
  }

  /// Listens to the server's notifications; nil if there is no server yet.
  private func listen() -> Task<Void, Never>? {
    news.listen(to: mirror.container.database(with: mirror.scope)) { [weak self] trigger, zone in
      if trigger == .schemaChanged { self?.exporter.exactValues.tryAgain() }
      self?.note(trigger, in: zone)
    }
  }
}

extension MirrorStep {
  /// The type of the published event; nil for steps without one.
  var eventType: NSPersistentCloudKitContainer.EventType? {
    switch self {
    case .setUp, .reset: .setup
    case .importing: .import
    case .exporting: .export
    }
  }
}
