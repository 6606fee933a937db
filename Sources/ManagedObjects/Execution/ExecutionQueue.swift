import Dispatch
import Synchronization

/// The queue of a context or of a coordinator: one block at a time, in the order of their arrival.
///
/// A block that its caller waits for runs on the caller's thread: at once while the queue is idle,
/// else when its turn comes. Blocks that nobody waits for run on the queue's lane. A block may wait
/// for another one on the same queue, which then runs within it.
///
/// ```
/// idle ──performAndWait──▶ held by the caller ──leave──▶ idle, or handed to the next who waits, or the lane is called
/// idle ──perform──▶ the lane is called ──its turn──▶ held by the lane's thread ──leave──▶ …
/// ```
///
/// The main queue's lane is bound: its blocks never run elsewhere.
package final class ExecutionQueue: Sendable {
  package let label: String
  let lane: any BlockQueue
  /// The number of the thread that holds the queue; 0 for none.
  private let holder = Atomic<UInt>(0)
  private let turns = Mutex(QueueOrder())

  /// A queue of its own.
  package convenience init(label: String, scheduler: any BlockScheduler) {
    self.init(label: label, lane: scheduler.lane(label: label))
  }

  /// A queue that shares the main queue with everything else there.
  package static func main(label: String, scheduler: any BlockScheduler) -> ExecutionQueue {
    ExecutionQueue(label: label, lane: scheduler.mainLane())
  }

  private init(label: String, lane: any BlockQueue) {
    self.label = label
    self.lane = lane
  }

  /// Whether the caller runs in a block of this queue.
  package var isCurrent: Bool {
    lane.isBound ? lane.isCurrent : holder.load(ordering: .relaxed) == CurrentThread.number
  }

  /// Runs a block later.
  package func perform(_ block: @escaping @Sendable () -> Void) {
    if lane.isBound { return lane.submit(block) }
    if turns.withLock({ $0.add(block) }) == .callLane { callLane() }
  }

  /// Runs a block before it returns: on the caller's thread, unless the lane is bound.
  @inline(__always)
  package func performAndWait<Result, Failure>(
    _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isCurrent { return try block() }
    if lane.isBound { return try performOnLane(block) }
    enter()
    defer { leave() }
    return try block()
  }

  /// Runs a block at once where the queue is idle.
  ///
  /// Returns nil, and does nothing, where it is not.
  func performIfIdle<Result, Failure>(_ block: () throws(Failure) -> Result) throws(Failure)
    -> Result?
  {
    guard !lane.isBound, turns.withLock({ $0.enterIfIdle() }) else { return nil }
    holder.store(CurrentThread.number, ordering: .relaxed)
    defer { leave() }
    return try block()
  }

  // MARK: Turns

  private func enter() {
    if !turns.withLock({ $0.enterIfIdle() }) { waitForTurn() }
    holder.store(CurrentThread.number, ordering: .relaxed)
  }

  /// Gives the queue to whoever comes next.
  private func leave() {
    holder.store(0, ordering: .relaxed)
    switch turns.withLock({ $0.leave() }) {
    case .nothing: break
    case .wake(let waiter): waiter.wake()
    case .callLane: callLane()
    }
  }

  /// Waits behind what came before, and helps with it where nobody has begun.
  private func waitForTurn() {
    let own = QueueWaiter()
    guard turns.withLock({ $0.enter(own) }) == .helping else { return own.wait() }
    holder.store(CurrentThread.number, ordering: .relaxed)
    while let next = turns.withLock({ $0.next() }) {
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

  private func callLane() {
    lane.submit { self.runTurn() }
  }

  private func runTurn() {
    guard turns.withLock({ $0.beginTurnOfLane() }) else { return }
    holder.store(CurrentThread.number, ordering: .relaxed)
    for _ in 0..<lane.blocksPerTurn {
      switch turns.withLock({ $0.next() }) {
      case nil: return leave()
      case .block(let block): block()
      case .waiter(let waiter):
        holder.store(0, ordering: .relaxed)
        return waiter.wake()
      }
    }
    leave()
  }

  private func performOnLane<Result, Failure>(
    _ block: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outcome: Swift.Result<Result, Failure>?
    withoutActuallyEscaping({ outcome = Swift.Result(catching: block) }) { work in
      let handed = EnqueuedWork(work)
      let waiter = QueueWaiter()
      lane.submit {
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

/// Work that a queue does for a caller who waits.
///
/// A queue may hold the block that it ran for longer than the caller waits; what the block holds
/// has let go of the work by then.
// Sendable: the caller waits, so that nothing else touches it.
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
