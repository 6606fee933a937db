import Dispatch
import Synchronization

/// The serial queue of a context or coordinator: one block at a time, in order of submission.
///
/// A block whose caller waits runs on the caller's thread: at once if the queue is idle, otherwise
/// in its turn. Other blocks run on the block queue. A block may wait for another block of the same
/// queue, which then runs within it.
///
/// ```
/// idle ──performAndWait──▶ held by the caller ──leave──▶ idle, handed over, or scheduled
/// idle ──perform──▶ scheduled ──turn on the block queue──▶ held by its thread ──leave──▶ …
/// ```
///
/// The main queue's block queue is bound: its blocks never run elsewhere.
package final class ExecutionQueue: Sendable {
  package let label: String
  let blockQueue: any BlockQueue
  /// The number of the thread that holds the queue, or 0.
  private let holder = Atomic<UInt>(0)
  private let turns = Mutex(QueueOrder())

  /// Creates a separate queue.
  package convenience init(label: String, scheduler: any BlockScheduler) {
    self.init(label: label, blockQueue: scheduler.blockQueue(label: label))
  }

  /// Creates a queue that shares the main queue.
  package static func main(label: String, scheduler: any BlockScheduler) -> ExecutionQueue {
    ExecutionQueue(label: label, blockQueue: scheduler.mainBlockQueue())
  }

  private init(label: String, blockQueue: any BlockQueue) {
    self.label = label
    self.blockQueue = blockQueue
  }

  /// Whether the caller runs in a block of this queue.
  package var isCurrent: Bool {
    blockQueue.isBound
      ? blockQueue.isCurrent : holder.load(ordering: .relaxed) == CurrentThread.number
  }

  /// Runs a block asynchronously.
  package func perform(_ block: @escaping @Sendable () -> Void) {
    if blockQueue.isBound { return blockQueue.submit(block) }
    if turns.withLock({ $0.add(block) }) == .scheduleTurn { scheduleTurn() }
  }

  /// Runs a block and waits for it: on the caller's thread, unless the block queue is bound.
  @inline(__always)
  package func performAndWait<Result, Failure>(
    _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isCurrent { return try block() }
    if blockQueue.isBound { return try performOnBlockQueue(block) }
    enter()
    defer { leave() }
    return try block()
  }

  /// Runs a block at once if the queue is idle.
  ///
  /// If it is not, returns nil and does nothing.
  func performIfIdle<Result, Failure>(_ block: () throws(Failure) -> Result) throws(Failure)
    -> Result?
  {
    guard !blockQueue.isBound, turns.withLock({ $0.enterIfIdle() }) else { return nil }
    holder.store(CurrentThread.number, ordering: .relaxed)
    defer { leave() }
    return try block()
  }

  // MARK: Turns

  private func enter() {
    if !turns.withLock({ $0.enterIfIdle() }) { waitForTurn() }
    holder.store(CurrentThread.number, ordering: .relaxed)
  }

  /// Hands the queue to the next waiter or block.
  private func leave() {
    holder.store(0, ordering: .relaxed)
    switch turns.withLock({ $0.leave() }) {
    case .nothing: break
    case .wake(let waiter): waiter.wake()
    case .scheduleTurn: scheduleTurn()
    }
  }

  /// Waits for earlier blocks, and runs them on this thread if no other thread holds the queue.
  private func waitForTurn() {
    let own = QueueWaiter()
    guard turns.withLock({ $0.enter(own) }) == .helping else { return own.wait() }
    holder.store(CurrentThread.number, ordering: .relaxed)
    while let next = turns.withLock({ $0.takeNext() }) {
      switch next {
      case .block(let block): block()
      case .waiter(let waiter) where waiter === own: return
      case .waiter(let waiter):
        holder.store(0, ordering: .relaxed)
        waiter.wake()
        return own.wait()
      }
    }
  }

  private func scheduleTurn() {
    blockQueue.submit { self.runTurn() }
  }

  private func runTurn() {
    guard turns.withLock({ $0.beginTurn() }) else { return }
    holder.store(CurrentThread.number, ordering: .relaxed)
    for _ in 0..<blockQueue.blocksPerTurn {
      switch turns.withLock({ $0.takeNext() }) {
      case nil: return leave()
      case .block(let block): block()
      case .waiter(let waiter):
        holder.store(0, ordering: .relaxed)
        return waiter.wake()
      }
    }
    leave()
  }

  private func performOnBlockQueue<Result, Failure>(
    _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outcome: Swift.Result<Result, Failure>?
    withoutActuallyEscaping({ outcome = Swift.Result(catching: block) }) { work in
      let handed = EnqueuedWork(work)
      let waiter = QueueWaiter()
      blockQueue.submit {
        handed.run()
        waiter.wake()
      }
      waiter.wait()
    }
    guard let outcome else {
      preconditionFailure("The main queue did not run a block that it was given.")
    }
    return try outcome.get()
  }
}

/// Work that a queue does for a waiting caller.
///
/// The queue may retain the block longer than the caller waits. The block has released the work by
/// then.
// Sendable: the caller waits, so nothing else accesses it.
private final class EnqueuedWork: @unchecked Sendable {
  private var work: (() -> Void)?

  init(_ work: @escaping () -> Void) { self.work = work }

  func run() {
    work?()
    work = nil
  }
}

/// A thread that waits for its turn.
final class QueueWaiter: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() { semaphore.wait() }
  func wake() { semaphore.signal() }
}
