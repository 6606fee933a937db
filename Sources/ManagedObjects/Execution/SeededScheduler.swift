import Synchronization

/// Runs all queues, and the tasks that it executes, on one thread in an order that a seed decides.
///
/// ```swift
/// let scheduler = SeededScheduler(seed: 7)
/// // Create contexts and coordinators with the scheduler, and start their work…
/// scheduler.runUntilIdle()
/// ```
package final class SeededScheduler: BlockScheduler, TaskExecutor {
  private struct State {
    var generator: UInt64
    var queues: [PendingBlocks] = []
    /// The indexes of the queues that have blocks, in ascending order.
    var waiting: [Int] = []
    /// The labels of the block queues that had a turn, in order.
    var trace: [String] = []

    struct PendingBlocks {
      let label: String
      var blocks: [@Sendable () -> Void] = []
    }

    mutating func addQueue(_ label: String) -> Int {
      queues.append(PendingBlocks(label: label))
      return queues.count - 1
    }

    /// Draws a number in `0..<bound`, with SplitMix64.
    mutating func draw(below bound: Int) -> Int {
      generator &+= 0x9E37_79B9_7F4A_7C15
      var bits = generator
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((bits ^ (bits >> 31)) % UInt64(bound))
    }

    mutating func add(_ block: @escaping @Sendable () -> Void, to index: Int) {
      if queues[index].blocks.isEmpty {
        waiting.insert(index, at: waiting.firstIndex { $0 > index } ?? waiting.count)
      }
      queues[index].blocks.append(block)
    }

    mutating func takeNext() -> (@Sendable () -> Void)? {
      guard !waiting.isEmpty else { return nil }
      let place = draw(below: waiting.count)
      let chosen = waiting[place]
      trace.append(queues[chosen].label)
      let block = queues[chosen].blocks.removeFirst()
      if queues[chosen].blocks.isEmpty { waiting.remove(at: place) }
      return block
    }
  }

  private let state: Mutex<State>
  private let tasks: Int

  package init(seed: UInt64) {
    state = Mutex(State(generator: seed))
    tasks = state.withLock { $0.addQueue("tasks") }
  }

  package func blockQueue(label: String) -> any BlockQueue {
    SeededBlockQueue(scheduler: self, index: state.withLock { $0.addQueue(label) })
  }

  /// An ordinary block queue: a simulation's only thread is also the main thread.
  package func mainBlockQueue() -> any BlockQueue { blockQueue(label: "main") }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    submit({ unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }, to: tasks)
  }

  /// The labels of the block queues that had a turn, in order.
  ///
  /// The same seed and work give the same trace.
  package var trace: [String] { state.withLock { $0.trace } }

  /// Runs the next block of one queue.
  ///
  /// Returns false if no queue has a block.
  @discardableResult
  package func runOnce() -> Bool {
    guard let block = state.withLock({ $0.takeNext() }) else { return false }
    block()
    return true
  }

  /// Runs blocks until no queue has any.
  package func runUntilIdle() {
    while runOnce() {}
  }

  fileprivate func submit(_ block: @escaping @Sendable () -> Void, to index: Int) {
    state.withLock { $0.add(block, to: index) }
  }
}

private final class SeededBlockQueue: BlockQueue {
  private let scheduler: SeededScheduler
  private let index: Int

  init(scheduler: SeededScheduler, index: Int) {
    self.scheduler = scheduler
    self.index = index
  }

  func submit(_ block: @escaping @Sendable () -> Void) { scheduler.submit(block, to: index) }

  var blocksPerTurn: Int { 1 }
  var isBound: Bool { false }
  var isCurrent: Bool { false }
}
