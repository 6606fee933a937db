/// Decides when and where a queue's blocks run, unless they run on their callers' threads.
///
/// The production scheduler uses threads. A simulation runs every queue on one thread, in an order
/// drawn from its seed.
package protocol BlockScheduler: Sendable {
  /// Creates the block queue of a new execution queue.
  func blockQueue(label: String) -> any BlockQueue
  /// The block queue of an execution queue that shares the main queue.
  func mainBlockQueue() -> any BlockQueue
}

/// Runs blocks one at a time, in the order in which they were submitted.
package protocol BlockQueue: AnyObject, Sendable {
  /// Runs a block asynchronously: never before the call returns.
  func submit(_ block: @escaping @Sendable () -> Void)
  /// The number of blocks that run in one turn, before other block queues get a turn.
  var blocksPerTurn: Int { get }
  /// Whether the blocks must run on this block queue, as user interface code must run on the main
  /// queue.
  ///
  /// An execution queue whose block queue is not bound runs blocks on the threads of waiting
  /// callers.
  var isBound: Bool { get }
  /// Whether the block queue is bound and the caller is on it.
  var isCurrent: Bool { get }
}
