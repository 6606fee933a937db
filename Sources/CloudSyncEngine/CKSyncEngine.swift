public import CloudKitClient
import Foundation
import SyncKernel
import Synchronization

/// Keeps an app's local data in sync with a database.
///
/// The app reports which records have changed, and provides them when they are sent. The engine
/// reports changes from the server. It decides when to sync, what to fetch, and what to retry.
///
/// ```swift
/// let engine = CKSyncEngine(
///   CKSyncEngine.Configuration(
///     database: container.privateCloudDatabase, stateSerialization: kept, delegate: self))
/// engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.recordID)])
/// ```
///
/// The engine stops when it is released, after the current step.
public final class CKSyncEngine: Sendable {
  /// The database.
  public let database: CKDatabase
  /// The engine's state: what it knows about the server, and the pending changes.
  public let state: State

  let automaticallySync: Bool
  let wantedSubscriptionID: CKSubscription.ID?
  let queue = SerialQueue()
  let scheduling = Mutex(Scheduling())

  /// Mutable state that is not persisted.
  struct Scheduling {
    weak var delegate: (any CKSyncEngineDelegate)?
    var schedule = SyncSchedule()
    var subscription = SubscriptionWatch()
    /// Waits for the schedule's next alarm.
    var timer = AlarmTimer()
    /// The task that checks the subscription if the server does not report its end.
    var watch: Task<Void, Never>?
    /// The task that listens for changes on the server.
    var listening: Task<Void, Never>?
    /// Observes account changes.
    var observation: NotificationObserver?
    /// The session at the last account check.
    var session: CloudSession?
    /// Whether a check for a state update is scheduled.
    var isUpdateUnderWay = false
  }

  /// Creates an engine.
  ///
  /// It starts to sync immediately if it syncs automatically.
  public init(_ configuration: Configuration) {
    database = configuration.database
    state = State(configuration.stateSerialization?.state ?? SyncState())
    automaticallySync = configuration.automaticallySync
    wantedSubscriptionID = configuration.subscriptionID
    state.listen { [weak self] in self?.stateWasChanged(hasPendingChanges: $0) }
    let observation = database.container.observe(.CKAccountChanged) { [weak self] in
      self?.accountWasChanged()
    }
    scheduling.withLock {
      $0.delegate = configuration.delegate
      $0.observation = observation
    }
    note(.start)
    if automaticallySync { listen() }
  }

  deinit {
    scheduling.withLock { scheduling in
      scheduling.timer.cancel()
      scheduling.listening?.cancel()
      scheduling.watch?.cancel()
    }
  }

  /// Fetches when a change is reported, and retries after failures when the network returns.
  private func listen() {
    let listening = database.listen(as: ObjectIdentifier(self)) { [weak self] reason in
      switch reason {
      case .listening(let tellsOfEnds):
        self?.scheduling.withLock { $0.subscription.listens() }
        self?.note(.networkReturned)
        self?.watchSubscription(isNeeded: !tellsOfEnds)
      case .changed(let zoneID): self?.note(.push(zoneID))
      case .subscriptionsEnded:
        self?.scheduling.withLock { $0.subscription.isInDoubt() }
        self?.note(.push(nil))
      // Missed changes are fetched when the device listens again.
      case .silent, .schemaChanged: break
      }
    }
    scheduling.withLock { $0.listening = listening }
  }

  private var databaseScope: CKDatabase.Scope { database.databaseScope }

  // MARK: Manual syncing

  /// Fetches changes from the server.
  ///
  /// All events of the fetch are delivered before the method returns.
  ///
  /// - Throws: An error if something could not be fetched, for example because no user is signed
  ///   in.
  public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
    try await sync(.fetch) { engine throws(CKError) in
      try await engine.fetch(FetchChangesContext(reason: .manual, options: options))
    }
  }

  /// Sends pending changes.
  ///
  /// All resulting events are delivered before the method returns.
  ///
  /// - Throws: An error if nothing could be sent. Errors of single records are reported by events
  ///   only.
  public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
    try await sync(.send) { engine throws(CKError) in
      try await engine.send(SendChangesContext(reason: .manual, options: options))
    }
  }

  /// Cancels all fetching and sending, and returns when it has ended.
  ///
  /// Nothing is lost: unsent changes stay pending until the next sync.
  public func cancelOperations() async {
    let jobs = queue.cancel()
    // A delegate that waits for its own call would wait forever.
    guard Self.callingEngine != ObjectIdentifier(self) else { return }
    for job in jobs { _ = await job.result }
  }

  // MARK: Package

  /// Handles a push message: an engine that syncs automatically fetches.
  package func notePush() { note(.push(nil)) }

  /// Whether no automatic sync is scheduled or running.
  package var isIdle: Bool { scheduling.withLock { $0.schedule.isIdle } }

  /// Handles the return of the network: an engine that syncs automatically syncs.
  package func noteNetworkReturned() { note(.networkReturned) }
}
