import Foundation
import Synchronization

/// Keeps a program's data and a database the same.
///
/// The program says which records changed and gives them when they are sent; the engine says what
/// changed elsewhere. Everything else is its own: when to sync, what to fetch, what to try again.
///
/// ```swift
/// let engine = CKSyncEngine(
///   CKSyncEngine.Configuration(
///     database: container.privateCloudDatabase, stateSerialization: kept, delegate: self))
/// engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.recordID)])
/// ```
///
/// An engine lives as long as somebody holds it; what it is doing then ends with the step that it
/// is at.
public final class CKSyncEngine: Sendable {
  /// The database.
  public let database: CKDatabase
  /// What the engine knows, and what is to be sent.
  public let state: State

  let automaticallySync: Bool
  let wantedSubscriptionID: CKSubscription.ID?
  let lane = SerialQueue()
  let scheduling = Mutex(Scheduling())

  /// What changes while the engine lives, and is not kept.
  struct Scheduling {
    weak var delegate: (any CKSyncEngineDelegate)?
    var schedule = SyncSchedule()
    var subscription = SubscriptionWatch()
    /// Waits for the next alarm of the schedule.
    var timer: Task<Void, Never>?
    /// Looks after the subscription on a server that does not tell of its end.
    var watch: Task<Void, Never>?
    /// Hears of what changed on the server.
    var listening: Task<Void, Never>?
    /// Hears of other accounts.
    var observation: AccountObservation?
    /// The session of whoever was signed in when that was last looked at.
    var session: CloudSession?
    /// Whether a look at the state is on its way that gives the program what is to be kept.
    var isUpdateUnderWay = false
  }

  /// An engine, which begins to sync at once where it does so by itself.
  public init(_ configuration: Configuration) {
    database = configuration.database
    state = State(configuration.stateSerialization?.state ?? SyncState())
    automaticallySync = configuration.automaticallySync
    wantedSubscriptionID = configuration.subscriptionID
    state.listen { [weak self] in self?.stateWasChanged(isToBeSent: $0) }
    let observation = AccountObservation(of: database.container) { [weak self] in
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
    scheduling.withLock { $0.timer }?.cancel()
    scheduling.withLock { $0.listening }?.cancel()
    scheduling.withLock { $0.watch }?.cancel()
  }

  /// Fetches whenever somebody says that something changed, and goes on with all that failed when
  /// the network is back.
  private func listen() {
    let listening = database.listen(as: ObjectIdentifier(self)) { [weak self] reason in
      switch reason {
      case .listening(let tellsOfEnds):
        self?.scheduling.withLock { $0.subscription.listens() }
        self?.note(.networkReturned)
        self?.watchSubscription(isNeeded: !tellsOfEnds)
      case .changed: self?.note(.push)
      case .subscriptionsEnded:
        self?.scheduling.withLock { $0.subscription.isInDoubt() }
        self?.note(.push)
      // What is missed meanwhile is fetched when the device listens again.
      case .silent, .schemaChanged: break
      }
    }
    scheduling.withLock { $0.listening = listening }
  }

  private var databaseScope: CKDatabase.Scope { database.databaseScope }

  // MARK: Syncing by hand

  /// Fetches what changed on the server; everything that it brings was told when it returns.
  ///
  /// - Throws: What kept something from being fetched; nobody being signed in is such a thing.
  public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
    try await sync(.fetch) { engine throws(CKError) in
      try await engine.fetch(FetchChangesContext(reason: .manual, options: options))
    }
  }

  /// Sends what is to be sent; what became of it was told when it returns.
  ///
  /// - Throws: What kept everything from being sent. What went wrong with single records is told in
  ///   events alone.
  public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
    try await sync(.send) { engine throws(CKError) in
      try await engine.send(SendChangesContext(reason: .manual, options: options))
    }
  }

  /// Ends all that is being fetched and sent, and returns when it has ended.
  ///
  /// Nothing is lost: what was not sent is sent when there is a reason to sync again.
  public func cancelOperations() async {
    let jobs = lane.cancel()
    // A delegate that waits for what waits for it would wait for ever.
    guard Self.engineThatTells != ObjectIdentifier(self) else { return }
    for job in jobs { _ = await job.result }
  }

  // MARK: Package

  /// The server says that something changed: an engine that syncs by itself fetches it.
  package func notePush() { note(.push) }

  /// Whether the engine is not about to sync by itself.
  package var isIdle: Bool { scheduling.withLock { $0.schedule.isIdle } }

  /// There is a network again: an engine that syncs by itself does so.
  package func noteNetworkReturned() { note(.networkReturned) }
}
