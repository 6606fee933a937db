public import Foundation
import Synchronization

// Sendable: the state is under the lock.
/// A sharing sheet without a user interface: a share, and the changes that its user may make.
///
/// Parhelion's addition. It takes the place of `UICloudSharingController` and
/// `NSSharingService(named: .cloudSharing)`. A program shows the session's values in its own way,
/// and calls a method for each choice of the user. Each method saves the share.
///
/// ```swift
/// let session = CloudSharingSession { session, completion in
///   container.share([note], to: nil) { _, share, container, error in
///     completion(share, container, error)
///   }
/// }
/// session.delegate = self
/// try await session.prepare()
/// try await session.invite(emailAddress: "bob@example.com", permission: .readWrite)
/// print(session.link)
/// ```
///
/// `parhelion share` is such a sheet for terminals.
public final class CloudSharingSession: @unchecked Sendable {
  /// Makes the share of a new session.
  ///
  /// The handler calls its second argument once, with the share and its container or with an error.
  public typealias PreparationHandler = (
    _ session: CloudSharingSession,
    _ completion: @escaping (CKShare?, CKContainer?, (any Error)?) -> Void
  ) -> Void

  /// An event of a sharing session.
  public enum Event: Sendable {
    /// The share was saved.
    case saved(CKShare)
    /// The owner stopped sharing, or the participant left.
    case stopped
    /// Preparing, fetching, changing or deleting the share failed. The share is unchanged.
    case failed(any Error)
  }

  // Sendable: the handler and the delegate are called by one change at a time.
  private struct State: @unchecked Sendable {
    var prepared: (share: CKShare, container: CKContainer)?
    var handler: PreparationHandler?
    weak var delegate: (any CloudSharingSessionDelegate)?
    var permissions: PermissionOptions = .all
    var options = CKAllowedSharingOptions.standard
    var listeners: [UUID: AsyncStream<Event>.Continuation] = [:]
    var isStopped = false
  }

  private let state: Mutex<State>
  /// Performs the changes of the share one after the other.
  private let turns = SerialTurns()

  /// Creates a session for a share that is made when the session begins.
  ///
  /// - Parameter preparationHandler: Makes and saves the share; called once, by ``prepare()`` or by
  ///   the first change.
  public init(preparationHandler: @escaping PreparationHandler) {
    state = Mutex(State(handler: preparationHandler))
  }

  /// Creates a session for a share that an asynchronous closure makes when the session begins.
  ///
  /// - Parameter preparation: Makes and saves the share.
  public convenience init(
    container: CKContainer, _ preparation: @escaping @Sendable () async throws -> CKShare
  ) {
    self.init { _, completion in
      let answer = UncheckedCompletion(completion)
      Task {
        do { answer.completion(try await preparation(), container, nil) } catch {
          answer.completion(nil, container, error)
        }
      }
    }
  }

  /// Creates a session for a share that exists.
  public init(share: CKShare, container: CKContainer) {
    state = Mutex(State(prepared: (share, container)))
  }

  // MARK: Properties

  /// The object that describes the shared content and is notified of changes.
  public weak var delegate: (any CloudSharingSessionDelegate)? {
    get { state.withLock { $0.delegate } }
    set { state.withLock { $0.delegate = newValue } }
  }

  /// The share; nil until it is prepared, and after sharing has stopped.
  public var share: CKShare? { state.withLock { $0.isStopped ? nil : $0.prepared?.share } }

  /// The share's container; nil until the share is prepared.
  public var container: CKContainer? { state.withLock { $0.prepared?.container } }

  /// The permissions that the user may grant.
  ///
  /// The session accepts a change only if ``allowedSharingOptions`` allow it, too.
  public var availablePermissions: PermissionOptions {
    get { state.withLock { $0.permissions } }
    set { state.withLock { $0.permissions = newValue } }
  }

  /// The choices that the user has.
  public var allowedSharingOptions: CKAllowedSharingOptions {
    get { state.withLock { $0.options } }
    set { state.withLock { $0.options = newValue } }
  }

  /// The title of the shared content: the share's, or else the delegate's.
  public var title: String? {
    share?[CKShare.SystemFieldKey.title] ?? delegate?.itemTitle(for: self)
  }

  /// The thumbnail image of the shared content: the share's, or else the delegate's.
  public var thumbnail: Data? {
    share?[CKShare.SystemFieldKey.thumbnailImageData] ?? delegate?.itemThumbnailData(for: self)
  }

  /// The participants, with the owner first; empty until the share is prepared.
  public var participants: [CKShare.Participant] { share?.participants ?? [] }

  /// The people who wait for an answer to their access requests.
  public var requesters: [CKShare.AccessRequester] { share?.requesters ?? [] }

  /// The people who may not request access.
  public var blockedIdentities: [CKShare.BlockedIdentity] { share?.blockedIdentities ?? [] }

  /// The link to the share; nil until the share is saved.
  public var link: URL? { share?.url }

  /// Whether the user may change the participants: the owner and administrators may.
  public var isManager: Bool {
    guard let role = share?.currentUserParticipant?.role else { return false }
    return role == .owner || role == .administrator
  }

  /// Whether the user owns the share.
  public var isOwner: Bool { share?.currentUserParticipant?.role == .owner }

  /// The events from now on, for any number of listeners.
  ///
  /// The sequence ends when the session is released.
  public var events: AsyncStream<Event> {
    let (stream, continuation) = AsyncStream<Event>.makeStream()
    let key = UUID()
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[key] = nil }
    }
    state.withLock { $0.listeners[key] = continuation }
    return stream
  }

  deinit { for listener in state.withLock({ $0.listeners.values }) { listener.finish() } }
}

// MARK: - Beginning

extension CloudSharingSession {
  /// Makes the share if the session was created with a handler and has no share yet.
  ///
  /// - Returns: The share.
  /// - Throws: The handler's error.
  @discardableResult
  public func prepare() async throws -> CKShare {
    try await turns.run { try await self.reportingFailure { try await self.prepared().share } }
  }

  /// Fetches the share again, to show what others have changed.
  @discardableResult
  public func refresh() async throws -> CKShare {
    try await turns.run {
      try await self.reportingFailure {
        let (share, container) = try await self.prepared()
        let record = try await container.database(of: share).record(for: share.recordID)
        guard let fetched = record as? CKShare else {
          throw CKError(.internalError, "\(share.recordID.recordName) is not a share.")
        }
        self.state.withLock { $0.prepared = (fetched, container) }
        return fetched
      }
    }
  }

  private func prepared() async throws -> (share: CKShare, container: CKContainer) {
    let (known, handler, isStopped) = state.withLock { state in
      defer { state.handler = nil }
      return (state.prepared, state.handler, state.isStopped)
    }
    guard !isStopped else { throw Self.stoppedError }
    if let known { return known }
    guard let handler else {
      throw CKError(
        .internalError,
        "The session's preparation handler has already failed. Create another session.")
    }
    let made = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<(CKShare, CKContainer), any Error>) in
      let answer = PreparedShare(continuation)
      handler(self) { share, container, error in answer.resume(share, container, error) }
    }
    state.withLock { $0.prepared = made }
    return made
  }

  fileprivate static var stoppedError: CKError {
    CKError(.unknownItem, "Sharing has stopped. Create another session to share again.")
  }
}

/// The completion of a session's own handler, which is called once and by one task.
private struct UncheckedCompletion: @unchecked Sendable {
  let completion: (CKShare?, CKContainer?, (any Error)?) -> Void

  init(_ completion: @escaping (CKShare?, CKContainer?, (any Error)?) -> Void) {
    self.completion = completion
  }
}

/// Receives the result of a preparation handler; only the first call counts.
private final class PreparedShare: Sendable {
  private typealias Continuation = CheckedContinuation<(CKShare, CKContainer), any Error>
  private let continuation: Mutex<Continuation?>

  init(_ continuation: CheckedContinuation<(CKShare, CKContainer), any Error>) {
    self.continuation = Mutex(continuation)
  }

  func resume(_ share: CKShare?, _ container: CKContainer?, _ error: (any Error)?) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    if let share, let container, error == nil {
      waiting?.resume(returning: (share, container))
    } else {
      waiting?.resume(
        throwing: error
          ?? CKError(
            .invalidArguments,
            "The preparation handler called its completion without a share and a container."))
    }
  }
}

// MARK: - Changes

extension CloudSharingSession {
  /// Changes the share, saves it, and reports the result to all listeners.
  ///
  /// If the save fails, the session keeps the former share. If others have changed the share
  /// meanwhile, the change is applied to their version.
  ///
  /// - Parameter body: Changes a copy of the share.
  @discardableResult
  public func change(_ body: @escaping @Sendable (CKShare) async throws -> Void) async throws
    -> CKShare
  {
    try await turns.run {
      try await self.reportingFailure {
        let (share, container) = try await self.prepared()
        guard let draft = share.copy() as? CKShare else {
          preconditionFailure("A copy is a share.")
        }
        try await body(draft)
        self.describe(draft)
        return try await self.save(draft, in: container)
      }
    }
  }

  /// Sets the title, thumbnail and type that the share lacks.
  private func describe(_ share: CKShare) {
    guard isOwner, let delegate else { return }
    if share[CKShare.SystemFieldKey.title] as String? == nil {
      share[CKShare.SystemFieldKey.title] = delegate.itemTitle(for: self)
    }
    if share[CKShare.SystemFieldKey.thumbnailImageData] as Data? == nil {
      share[CKShare.SystemFieldKey.thumbnailImageData] = delegate.itemThumbnailData(for: self)
    }
    if share[CKShare.SystemFieldKey.shareType] as String? == nil {
      share[CKShare.SystemFieldKey.shareType] = delegate.itemType(for: self)
    }
  }

  private func save(_ draft: CKShare, in container: CKContainer) async throws -> CKShare {
    do {
      let saved = try await Self.saved(draft, in: container.database(of: draft))
      state.withLock { $0.prepared = (saved, container) }
      CKSystemSharingUIObserver.saved(draft.recordID, .success(saved), in: container)
      delegate?.cloudSharingControllerDidSaveShare(self)
      publish(.saved(saved))
      return saved
    } catch {
      CKSystemSharingUIObserver.saved(draft.recordID, .failure(error), in: container)
      throw error
    }
  }

  private static func saved(_ draft: CKShare, in database: CKDatabase) async throws -> CKShare {
    do {
      let results = try await database.modifyRecords(
        saving: [draft], deleting: [], savePolicy: .changedKeys, atomically: false)
      guard let saved = try results.saveResults[draft.recordID]?.get() as? CKShare else {
        throw CKError(.internalError, "The server's response does not contain the share.")
      }
      return saved
    } catch let error as CKError where error.code == .partialFailure {
      throw error.partialErrorsByItemID?[draft.recordID] ?? error
    }
  }

  /// Stops sharing if the user owns the share; otherwise leaves the share.
  ///
  /// The owner keeps the records. If the owner stops sharing, all participants lose access.
  public func stop() async throws {
    try await turns.run {
      try await self.reportingFailure {
        let (share, container) = try await self.prepared()
        do {
          try await container.database(of: share).deleteRecord(withID: share.recordID)
        } catch let error as CKError
          where [CKError.Code.unknownItem, .zoneNotFound, .userDeletedZone].contains(error.code)
        {
          // The share or its zone was already deleted, or the owner removed the participant.
        } catch {
          CKSystemSharingUIObserver.stopped(share.recordID, .failure(error), in: container)
          throw error
        }
        self.state.withLock { $0.isStopped = true }
        CKSystemSharingUIObserver.stopped(share.recordID, .success(()), in: container)
        self.delegate?.cloudSharingControllerDidStopSharing(self)
        self.publish(.stopped)
      }
    }
  }

  private func reportingFailure<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      delegate?.cloudSharingController(self, failedToSaveShareWithError: error)
      publish(.failed(error))
      throw error
    }
  }

  private func publish(_ event: Event) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }
}

extension CKContainer {
  /// The database of a share: the private one if the user owns the share, otherwise the shared one.
  fileprivate func database(of share: CKShare) -> CKDatabase {
    share.recordID.zoneID.ownerName == CKCurrentUserDefaultName
      ? privateCloudDatabase : sharedCloudDatabase
  }
}
