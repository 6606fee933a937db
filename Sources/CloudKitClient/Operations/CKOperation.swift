public import Foundation
import Synchronization

// Sendable: the program sets properties before it adds the operation; what changes while it runs is
// under the lock.
/// Something that is asked of the cloud: use one of the subclasses, and add it to a database, a
/// container or a queue.
///
/// ```swift
/// let operation = CKFetchRecordsOperation(recordIDs: names)
/// operation.qualityOfService = .userInitiated
/// operation.perRecordResultBlock = { recordID, result in … }
/// operation.fetchRecordsResultBlock = { result in … }
/// database.add(operation)
/// ```
///
/// Every item has a result, whatever becomes of the operation; the final block comes last, and
/// once. Blocks are called one after the other, on no particular thread.
open class CKOperation: Operation, @unchecked Sendable {
  /// The name of an operation.
  public typealias ID = String

  /// How the operation asks: what it leaves open is as its group says.
  ///
  /// It is a copy of what it is set to. Set to nil, it leaves everything open again.
  open var configuration: CKOperation.Configuration! {
    get { ownConfiguration }
    set { ownConfiguration = newValue?.filled(from: nil) ?? CKOperation.Configuration() }
  }
  /// What the operation belongs to.
  open var group: CKOperationGroup?
  /// The name of the operation.
  public internal(set) final var operationID: ID = UUID().uuidString
  /// Is called when a long-lived operation was written down, so that a later process can carry it
  /// on.
  ///
  /// It is not called where that cannot be: see ``CKContainer/allLongLivedOperationIDs()``.
  open var longLivedOperationWasPersistedBlock: (@Sendable () -> Void)?

  private var ownConfiguration = CKOperation.Configuration()
  /// The container that the operation was added to, which it asks where its configuration names
  /// none.
  final var addingContainer: CKContainer?
  private let phase = Mutex(Phase.waiting)
  /// What the operation waited for, once it has ended.
  private let formerDependencies = Mutex<[Operation]>([])

  /// Where operations wait for those that they depend on; as many run at once as there are.
  static let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.name = "parhelion.cloudkit.operations"
    queue.maxConcurrentOperationCount = 10_000
    return queue
  }()

  /// ```
  /// waiting ──start()──▶ running ──▶ finished
  ///    └──start() of a cancelled one───▲
  /// ```
  private enum Phase {
    case waiting
    case running(Task<Void, Never>?)
    case finished
  }

  /// An operation that is to be set up.
  public override init() { super.init() }

  deinit { letGoOfDependencies() }

  // MARK: Running

  /// True: operations run beside whatever started them.
  open override var isAsynchronous: Bool { true }

  /// Whether the operation has begun and not ended.
  open override var isExecuting: Bool {
    phase.withLock { if case .running = $0 { true } else { false } }
  }

  /// Whether the operation has ended, and its final block was called.
  open override var isFinished: Bool {
    phase.withLock { if case .finished = $0 { true } else { false } }
  }

  /// Begins the operation; queues and databases do so.
  open override func start() {
    let begins = phase.withLock { phase in
      guard case .waiting = phase else { return false }
      phase = .running(nil)
      return true
    }
    guard begins else { return }
    didChangeValue(for: \.isExecuting)
    let task = Task(priority: priority) { await self.run() }
    phase.withLock { phase in
      if case .running = phase { phase = .running(task) }
    }
    if isCancelled { task.cancel() }
  }

  /// Ends the operation early: what is left of it fails with `CKError.operationCancelled`.
  open override func cancel() {
    super.cancel()
    let (isWaiting, running): (Bool, Task<Void, Never>?) = phase.withLock { phase in
      switch phase {
      case .waiting: (true, nil)
      case .running(let task): (false, task)
      case .finished: (false, nil)
      }
    }
    running?.cancel()
    if isWaiting { forgetWish() }
  }

  private func run() async {
    var longLived: LongLivedOperations?
    conclude(await carryOut(&longLived))
    longLived?.end(operationID)
    phase.withLock { $0 = .finished }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
    let dependencies = super.dependencies
    formerDependencies.withLock { $0 = dependencies }
    letGoOfDependencies()
  }

  // MARK: Dependencies

  /// What the operation waits for, or has waited for.
  open override var dependencies: [Operation] {
    formerDependencies.withLock(\.self) + super.dependencies
  }

  /// Makes the operation wait no longer for another.
  open override func removeDependency(_ operation: Operation) {
    formerDependencies.withLock { $0.removeAll { $0 === operation } }
    super.removeDependency(operation)
  }

  /// Sees that nothing that has still to end looks for this operation when it does.
  ///
  /// On Linux an operation goes through those that wait for it by pointers that do not keep them
  /// alive, and a cancelled one does not wait to be freed. It holds its lock for that, as it does
  /// for whoever is taken off the list here, so that none is freed meanwhile.
  private func letGoOfDependencies() {
    for operation in super.dependencies { super.removeDependency(operation) }
  }

  // MARK: What is done

  /// Does the work, and tells what became of each item.
  ///
  /// - Returns: What kept all that is left from being done.
  private func carryOut(_ longLived: inout LongLivedOperations?) async -> CKError? {
    let work: DatabaseWork
    do throws(CKError) {
      work = try await begin(&longLived)
    } catch {
      failEach(error)
      return error
    }
    do throws(CKError) {
      try await perform(work)
      return nil
    } catch {
      return error
    }
  }

  private func begin(_ longLived: inout LongLivedOperations?) async throws(CKError) -> DatabaseWork
  {
    if isCancelled {
      forgetWish()
      throw CKError(.operationCancelled)
    }
    if effectiveConfiguration.isLongLived { longLived = try await becomeLongLived() }
    var work = try makeWork()
    work.options = CallOptions(effectiveConfiguration, at: work.session.dependencies.steady())
    return work
  }

  /// What the operation does its work with, but for its configuration.
  ///
  /// - Throws: What is wrong with the container's configuration.
  func makeWork() throws(CKError) -> DatabaseWork { try askedContainer.work() }

  /// What the operation does: subclasses ask the server here, and tell what became of each item.
  func perform(_ work: DatabaseWork) async throws(CKError) {
    preconditionFailure(
      "\(type(of: self)) is not an operation of its own. Use one of CKOperation's subclasses.")
  }

  /// Tells each item that it failed, where nothing could be begun.
  func failEach(_ error: CKError) {}

  /// Tells the end of the operation, once.
  package func conclude(_ error: CKError?) {}

  /// The container that the operation asks.
  var askedContainer: CKContainer { effectiveConfiguration.container ?? CKContainer.default() }

  /// Which of the container's databases; nil for what is about none.
  var askedScope: CKDatabaseScope? { nil }

  // MARK: Long-lived operations

  /// Whether the operation was fetched by its name, so that it stays kept until it has ended.
  final var wasKept = false

  /// Writes what the operation asks for; false where that cannot be kept for a later process.
  func encodeWish(with coder: NSCoder) -> Bool { false }

  /// Reads what `encodeWish(with:)` wrote; false where that is damaged.
  func decodeWish(from coder: NSCoder) -> Bool { false }

  /// Forgets what a former process wrote down of the operation, which nobody wants any more.
  private func forgetWish() {
    guard wasKept else { return }
    // Where the container is bound to nothing any more, nothing of it can be listed either.
    try? askedContainer.binding().longLived.forget(operationID)
  }

  /// Writes the operation down, for a later process.
  ///
  /// - Returns: Who is to be told of its end.
  private func becomeLongLived() async throws(CKError) -> LongLivedOperations {
    let binding = try askedContainer.binding()
    let archive = OperationArchive(self, in: askedScope, for: try binding.caller())
    if await binding.longLived.begin(operationID, archive) {
      longLivedOperationWasPersistedBlock?()
    }
    return binding.longLived
  }

  // MARK: Configuration

  /// The operation's own configuration, filled up from its group's.
  var effectiveConfiguration: CKOperation.Configuration {
    let filled = ownConfiguration.filled(from: group?.defaultConfiguration)
    if let addingContainer, ownConfiguration.container == nil { filled.container = addingContainer }
    return filled
  }

  private var priority: TaskPriority {
    switch effectiveConfiguration.qualityOfService {
    case .userInteractive, .userInitiated: .high
    case .utility: .utility
    case .background: .background
    default: .medium
    }
  }

  /// How much the user waits for the operation: that of its configuration.
  open override var qualityOfService: QualityOfService {
    get { configuration?.qualityOfService ?? .default }
    set { configuration?.qualityOfService = newValue }
  }

  /// The container that the operation asks where nothing else says which.
  @available(*, deprecated, message: "Use configuration.container.")
  open var container: CKContainer? {
    get { configuration?.container }
    set { configuration?.container = newValue }
  }

  /// Whether the operation may use a network that is paid for by the byte.
  @available(*, deprecated, message: "Use configuration.allowsCellularAccess.")
  open var allowsCellularAccess: Bool {
    get { configuration?.allowsCellularAccess ?? true }
    set { configuration?.allowsCellularAccess = newValue }
  }

  /// Whether the operation is carried on even if nobody waits for it.
  @available(*, deprecated, message: "Use configuration.isLongLived.")
  open var isLongLived: Bool {
    get { configuration?.isLongLived ?? false }
    set { configuration?.isLongLived = newValue }
  }

  /// How many seconds nothing may come of a request before it is given up.
  @available(*, deprecated, message: "Use configuration.timeoutIntervalForRequest.")
  open var timeoutIntervalForRequest: TimeInterval {
    get { configuration?.timeoutIntervalForRequest ?? 60 }
    set { configuration?.timeoutIntervalForRequest = newValue }
  }

  /// How many seconds the operation may take as a whole.
  @available(*, deprecated, message: "Use configuration.timeoutIntervalForResource.")
  open var timeoutIntervalForResource: TimeInterval {
    get { configuration?.timeoutIntervalForResource ?? 604_800 }
    set { configuration?.timeoutIntervalForResource = newValue }
  }
}
