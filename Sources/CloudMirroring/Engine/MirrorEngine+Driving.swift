import CloudKitClient
package import CloudRecords
import Foundation
import ManagedObjects
import MirrorLedger
package import MirrorModel
import SyncKernel
import Synchronization

/// How an engine goes by itself, and how a program asks it to go.
extension MirrorEngine {
  /// Begins: from now on the engine does what is to be done, where it is automatic.
  package func start() {
    // What a program that ended too early has left of files on their way.
    site.assets.removeLeftovers()
    observe()
    note(.start)
    listenIfNeeded()
  }

  /// Ends; what is being done comes to the end of its step.
  package func end() {
    // Observers are released outside of the lock, which their blocks may want.
    let ended = driving.withLock { driving in
      defer { (driving.observers, driving.listening) = ([], nil) }
      driving.machine.note(.stop, at: site.now)
      driving.timer.cancel()
      return driving
    }
    ended.listening?.cancel()
    ledger.close()
  }

  /// Returns when nothing of the engine goes on.
  package func settle() async { await queue.run {} }

  /// Something happened that may be a reason to do something.
  ///
  /// - Parameter zone: The zone that it concerns; nil if it may concern any.
  package func note(_ trigger: MirrorMachine.Trigger, in zone: RecordZoneIdentifier? = nil) {
    news.note(trigger, zone)
    driving.withLock { $0.machine.note(trigger, at: site.now) }
    log(.decisions, "\(trigger)")
    if isAutomatic { drive() }
    publisher.stateChanged(self)
  }

  /// Takes note of what the program has decided; gives whether it was asked that.
  func decide(_ decision: MirrorMachine.Trigger) -> Bool {
    let isAwaited = machine.awaits(decision)
    if isAwaited { note(decision) }
    return isAwaited
  }

  // MARK: Driving

  /// Does all that is due, on the queue.
  private func drive() {
    let now = site.now
    let isNews = driving.withLock { driving in
      guard !driving.isDriven, driving.machine.due(at: now) != nil else { return false }
      driving.isDriven = true
      return true
    }
    guard isNews else { return setTimer(at: now) }
    queue.add { [weak self] in await self?.runAll() }
  }

  /// Does everything that is due.
  private func runAll() async {
    var now: Date
    repeat {
      await runDue()
      now = site.now
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

  /// Does the one step that is due; nil where none is.
  private func runNext() async -> (step: MirrorStep, outcome: MirrorOutcome)? {
    let now = site.now
    guard let step = driving.withLock({ $0.machine.next(at: now) }) else { return nil }
    // A step that hangs is received of, too.
    if isAutomatic { setTimer(at: now) }
    let outcome = await received(step)
    // A container may be bound to its server behind its stores.
    if step == .setUp, outcome.fault == nil { listenIfNeeded() }
    let chance = site.clock.chance()
    driving.withLock { driving in
      driving.machine.end(outcome, at: site.now, chance: chance)
      // What came may have consequences that others must hear of, such as deletions that follow
      // from one.
      if step == .importing, outcome.hasMoved { driving.machine.note(.unsentFound, at: site.now) }
    }
    logEnd(of: step, outcome)
    logBlockers()
    publisher.stateChanged(self)
    return (step, outcome)
  }

  /// Does the one step that is due, for who drives the engine by hand; nil where none is.
  package func doNext() async -> (step: MirrorStep, outcome: MirrorOutcome)? {
    await queue.run { [self] in await runNext() }
  }

  /// Does one step, and tells its beginning and its end.
  private func received(_ step: MirrorStep) async -> MirrorOutcome {
    let event = step.eventType.map {
      NSPersistentCloudKitContainerEvent(
        identifier: site.dependencies.makeUUID(), storeIdentifier: site.storeIdentifier, type: $0,
        startDate: site.now)
    }
    driving.withLock { $0.event = event }
    log(.steps, "\(step) begins")
    if let event { publisher.began(event, self) }
    let outcome = await run(step)
    let fault = outcome.fault ?? outcome.blockers.first
    let error = fault?.cocoaError(in: step)
    driving.withLock { driving in
      driving.event = nil
      if outcome.fault != nil { driving.error = error }
    }
    if let event {
      publisher.ended(
        event.ended(at: site.now, error: error), self, isThrough: outcome.isThrough(step))
    }
    return outcome
  }

  /// Sets the timer by the moment at which nothing was due: what has become due since is later than
  /// that, and gets a timer that ends at once.
  private func setTimer(at now: Date) {
    driving.withLock { driving in
      driving.timer.set(driving.machine.alarm(at: now), at: now, waiting: site.clock.wait) {
        [weak self] number in self?.timerFired(number)
      }
    }
  }

  /// The clock may be a little behind the timer: the machine says whether there is more to wait
  /// for.
  private func timerFired(_ number: Int) {
    guard driving.withLock({ $0.timer.take(number) }) else { return }
    note(.timer)
    logBlockers()
  }

  // MARK: On demand

  /// Does everything that is to be done now, whatever was to be waited for, and returns when both
  /// sides have everything that there was.
  ///
  /// - Parameter comparesNames: Whether deletions in a public database count as well: no feed tells
  ///   them, so that all names are compared.
  /// - Throws: What stands in the way.
  package func syncNow(comparesNames: Bool = true) async throws(MirrorError) {
    let fault = await queue.run { [self] in
      news.note(.asked, nil)
      driving.withLock { $0.machine.note(.asked, at: site.now) }
      importer.unreadable.isToBeAsked.store(true, ordering: .relaxed)
      if comparesNames { importer.unreadable.areNamesToBeCompared.store(true, ordering: .relaxed) }
      await runOwed()
      // What was saved meanwhile goes along; who saves on and on keeps nobody for ever.
      driving.withLock { $0.machine.takeAlongSaves(at: site.now) }
      await runOwed()
      return driving.withLock { driving in
        driving.machine.endAsking()
        return driving.machine.obstacle(at: site.now)
      }
    }
    if isAutomatic { drive() }
    if let fault { throw fault }
  }

  /// Does what was asked for; what others tell of meanwhile is done by itself later, so that they
  /// keep nobody waiting.
  private func runOwed() async {
    while driving.withLock({ $0.machine.isOwedAnything(at: site.now) }), await runNext() != nil {}
  }

  // MARK: What wakes

  /// Hears of saves, here and in other processes, and of other accounts.
  private func observe() {
    let identity = site.coordinatorID
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
    // It is posted some time after the save. A program that drives by hand decides when to look.
    if isAutomatic {
      add(.NSPersistentStoreRemoteChange) { engine, notification in
        guard notification.userInfo?[NSStoreUUIDKey] as? String == engine.site.storeIdentifier,
          notification.userInfo?[RemoteChangeMonitor.isByOthersKey] as? Bool != false
        else { return }
        engine.lookForOthersChanges()
      }
    }
    observers += [
      site.container.observe(.CKAccountChanged) { [weak self] in self?.note(.accountChanged) },
      site.container.observe(ContainerBinding.keysArrived) { [weak self] in
        self?.note(.keysArrived)
      },
    ]
    driving.withLock { [observers] in $0.observers = observers }
  }

  /// Somebody has saved, perhaps another process: what it left to be sent is a reason to send it.
  private func lookForOthersChanges() {
    do {
      try ledger.catchUp()
      if try ledger.isAnythingPending { note(.unsentFound) }
    } catch {
      // The export meets the same error, and tells it.
      note(.unsentFound)
    }
  }

  /// Sees that one listens, and no more: the beginning and the end of setting up may both come to
  /// it at once.
  private func listenIfNeeded() {
    guard isAutomatic, site.scope != .public else { return }
    let isNews = driving.withLock { driving in
      guard driving.listening == nil, driving.machine.isStarted else { return false }
      let silence = MirrorError(
        .notListening, "The device does not listen yet to what the server tells.")
      driving.machine.note(.silence(silence), at: site.now)
      driving.listening = listen()
      return true
    }
    guard isNews else { return }
    drive()
    publisher.stateChanged(self)
  }

  /// Takes over whenever the server says that something changed; nil where there is no server yet.
  private func listen() -> Task<Void, Never>? {
    news.listen(to: site.container.database(with: site.scope)) { [weak self] trigger, zone in
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
