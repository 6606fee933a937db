/// Runs the maintenance tasks of a server when it starts and periodically, one round at a time.
final class MaintenanceScheduler: Sendable {
  private let rounds: RepeatingTask
  private let call: AsyncStream<Void>.Continuation
  private let work: Task<Void, Never>

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - executor: The executor of the tasks.
  ///   - tasks: Performs one round, and reports its own failures.
  init(
    every duration: Duration, on executor: any TaskExecutor,
    _ tasks: @escaping @Sendable () async -> Void
  ) {
    // Of the rounds that become due during another round, one is kept.
    let (calls, call) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.call = call
    rounds = RepeatingTask(every: duration) { call.yield() }
    work = Task(executorPreference: executor) {
      for await _ in calls { await tasks() }
    }
    call.yield()
  }

  /// Begins a round soon.
  func wake() { call.yield() }

  /// Stops the scheduler, and waits for the current round.
  func stop() async {
    rounds.stop()
    work.cancel()
    await work.value
  }
}
