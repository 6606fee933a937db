/// Who runs the blocks that queues do not run on their callers' threads, and when.
///
/// The real one has threads. A simulation has one thread for every queue, and draws what comes next
/// from its seed.
package protocol BlockScheduler: Sendable {
  /// A lane for the blocks of one new queue.
  func lane(label: String) -> any BlockQueue
  /// The lane of the main queue: the same one, or an equal one, at every call.
  func mainLane() -> any BlockQueue
}

/// Runs blocks one after the other, in the order in which they were submitted.
package protocol BlockQueue: AnyObject, Sendable {
  /// Runs a block later: never before the call returns.
  func submit(_ block: @escaping @Sendable () -> Void)
  /// How many blocks of a queue run in one turn, before other lanes come in between.
  var blocksPerTurn: Int { get }
  /// Whether the blocks may run nowhere else, as those of the main queue must run where user
  /// interfaces live.
  ///
  /// A queue with a lane that is not bound runs blocks on the threads of those who wait for them.
  var isBound: Bool { get }
  /// Whether the caller is on a bound lane.
  var isCurrent: Bool { get }
}
