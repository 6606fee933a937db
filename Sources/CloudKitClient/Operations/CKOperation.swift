public import Foundation
import Synchronization

// Sendable: properties are set before the operation is added; what changes later is under the lock.
/// The base class of CloudKit operations.
///
/// Add an instance of a subclass to a database, container or queue.
///
/// ```swift
/// let operation = CKFetchRecordsOperation(recordIDs: names)
/// operation.qualityOfService = .userInitiated
/// operation.perRecordResultBlock = { recordID, result in … }
/// operation.fetchRecordsResultBlock = { result in … }
/// database.add(operation)
/// ```
///
/// Every item gets a result, even if the operation fails or is cancelled. The block for the whole
/// operation is called last, exactly once. Blocks are called one at a time, on no particular
/// thread.
open class CKOperation: Operation, @unchecked Sendable {
  /// The type of an operation's identifier.
  public typealias ID = String

  /// The operation's configuration.
  ///
  /// Unset values come from the operation's group. The setter copies its value. Nil resets all
  /// values.
  open var configuration: CKOperation.Configuration! {
    get { ownConfiguration }
    set { ownConfiguration = newValue?.filled(from: nil) ?? CKOperation.Configuration() }
  }
  /// The group that the operation belongs to.
  open var group: CKOperationGroup?
  /// The identifier of the operation.
  public internal(set) final var operationID: ID = UUID().uuidString
  /// Called after a long-lived operation was persisted, so that a later process can resume it.
  ///
  /// It is not called if the operation cannot be persisted: see
  /// ``CKContainer/allLongLivedOperationIDs()``.
  open var longLivedOperationWasPersistedBlock: (@Sendable () -> Void)?

  private var ownConfiguration = CKOperation.Configuration()
  /// The container that the operation was added to, used if the configuration specifies none.
  final var addingContainer: CKContainer?
  private let phase = Mutex(Phase.waiting)
  /// The dependencies that were removed when the operation finished.
  private let formerDependencies = Mutex<[Operation]>([])

  /// The queue on which operations wait for their dependencies.
  ///
  /// It does not limit concurrency.
  static let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.name = "parhelion.cloudkit.operations"
    queue.maxConcurrentOperationCount = 10_000
    return queue
  }()

  /// The phase of an operation.
  ///
  /// A cancelled operation also runs, to report that its items were cancelled.
  ///
  /// ```
  /// waiting ──start()──▶ running ──▶ finished
  /// ```
  private enum Phase {
    case waiting
    case running(Task<Void, Never>?)
    case finished
  }

  /// Creates an operation.
  public override init() { super.init() }

  deinit { removeDependencies() }

  // MARK: Running

  /// Whether the operation runs asynchronously, which it always does.
  open override var isAsynchronous: Bool { true }

  /// Whether the operation is running.
  open override var isExecuting: Bool {
    phase.withLock { if case .running = $0 { true } else { false } }
  }

  /// Whether the operation has ended and its last block was called.
  open override var isFinished: Bool {
    phase.withLock { if case .finished = $0 { true } else { false } }
  }

  /// Starts the operation.
  ///
  /// Queues and databases call it.
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

  /// Cancels the operation.
  ///
  /// Its remaining items fail with `CKError.operationCancelled`.
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
    if isWaiting { removePersistedForm() }
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
    removeDependencies()
  }

  // MARK: Dependencies

  /// The operations that this operation waits for, or has waited for.
  open override var dependencies: [Operation] {
    formerDependencies.withLock(\.self) + super.dependencies
  }

  /// Removes a dependency.
  open override func removeDependency(_ operation: Operation) {
    formerDependencies.withLock { $0.removeAll { $0 === operation } }
    super.removeDependency(operation)
  }

  /// Removes this operation from its dependencies, which hold unowned references to it.
  ///
  /// On Linux, a finishing operation visits its dependents through pointers that do not retain
  /// them, and a cancelled dependent may already be freed. Both the visit and the removal hold the
  /// lock of the dependency.
  private func removeDependencies() {
    for operation in super.dependencies { super.removeDependency(operation) }
  }

  // MARK: Performing

  /// Performs the operation and reports each item's result.
  ///
  /// - Returns: The error that ended the operation; nil for success.
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
      removePersistedForm()
      throw CKError(.operationCancelled)
    }
    if effectiveConfiguration.isLongLived { longLived = try await becomeLongLived() }
    var work = try makeWork()
    work.options = CallOptions(effectiveConfiguration, at: work.session.dependencies.monotonicNow())
    return work
  }

  /// Returns the object that performs the requests, without the operation's configuration.
  ///
  /// - Throws: An error if the container is not configured correctly.
  func makeWork() throws(CKError) -> DatabaseWork { try askedContainer.work() }

  /// Sends the requests and reports each item's result.
  ///
  /// Subclasses override it.
  func perform(_ work: DatabaseWork) async throws(CKError) {
    preconditionFailure("\(type(of: self)) is an abstract class. Use one of its subclasses.")
  }

  /// Reports an error for each item, if the operation could not start.
  func failEach(_ error: CKError) {}

  /// Calls the blocks for the whole operation, once.
  package func conclude(_ error: CKError?) {}

  /// The container of the requests.
  var askedContainer: CKContainer { effectiveConfiguration.container ?? CKContainer.default() }

  /// The scope of the database of the requests; nil for none.
  var askedScope: CKDatabaseScope? { nil }

  // MARK: Long-lived operations

  /// Whether this object was restored from the persisted form of an operation, which a cancellation
  /// must remove.
  final var wasKept = false

  /// Encodes the operation's request; false if the operation cannot be persisted.
  func encodeRequest(with coder: NSCoder) -> Bool { false }

  /// Decodes what `encodeRequest(with:)` wrote; false if it is damaged.
  func decodeRequest(from coder: NSCoder) -> Bool { false }

  /// Removes the persisted form of a cancelled operation.
  private func removePersistedForm() {
    guard wasKept else { return }
    // If the container is no longer bound to a server, its operations cannot be listed, so an error
    // does no harm.
    try? askedContainer.binding().longLived.forget(operationID)
  }

  /// Persists the operation for a later process.
  ///
  /// - Returns: The container's long-lived operations, whose `end(_:)` must be called when this
  ///   operation ends.
  private func becomeLongLived() async throws(CKError) -> LongLivedOperations {
    let binding = try askedContainer.binding()
    let archive = OperationArchive(self, in: askedScope, for: try binding.caller())
    if await binding.longLived.begin(operationID, archive) {
      longLivedOperationWasPersistedBlock?()
    }
    return binding.longLived
  }

  // MARK: Configuration

  /// The operation's configuration, with unset values from its group.
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

  /// The priority of the operation, from its configuration.
  open override var qualityOfService: QualityOfService {
    get { configuration?.qualityOfService ?? .default }
    set { configuration?.qualityOfService = newValue }
  }

  /// The container for operations that specify no other.
  @available(*, deprecated, message: "Use configuration.container.")
  open var container: CKContainer? {
    get { configuration?.container }
    set { configuration?.container = newValue }
  }

  /// Whether the operation may use cellular networks.
  @available(*, deprecated, message: "Use configuration.allowsCellularAccess.")
  open var allowsCellularAccess: Bool {
    get { configuration?.allowsCellularAccess ?? true }
    set { configuration?.allowsCellularAccess = newValue }
  }

  /// Whether the operation is long-lived, so that a later process can resume it.
  @available(*, deprecated, message: "Use configuration.isLongLived.")
  open var isLongLived: Bool {
    get { configuration?.isLongLived ?? false }
    set { configuration?.isLongLived = newValue }
  }

  /// The time in seconds without any data after which a request fails.
  @available(*, deprecated, message: "Use configuration.timeoutIntervalForRequest.")
  open var timeoutIntervalForRequest: TimeInterval {
    get { configuration?.timeoutIntervalForRequest ?? 60 }
    set { configuration?.timeoutIntervalForRequest = newValue }
  }

  /// The time in seconds for the whole operation.
  @available(*, deprecated, message: "Use configuration.timeoutIntervalForResource.")
  open var timeoutIntervalForResource: TimeInterval {
    get { configuration?.timeoutIntervalForResource ?? 604_800 }
    set { configuration?.timeoutIntervalForResource = newValue }
  }
}
