/// Lets a server do its chores: when it starts, and again and again, one round after the other.
final class MaintenanceScheduler: Sendable {
  private let rounds: RepeatingTask
  private let work: Task<Void, Never>

  /// - Parameters:
  ///   - executor: Where the chores are done.
  ///   - chores: What is to be done; it reports its own failures.
  init(
    every duration: Duration, on executor: any TaskExecutor,
    _ chores: @escaping @Sendable () async -> Void
  ) {
    // Of rounds that come while one goes on, one is remembered.
    let (calls, call) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    rounds = RepeatingTask(every: duration) { call.yield() }
    work = Task(executorPreference: executor) {
      for await _ in calls { await chores() }
    }
    call.yield()
  }

  /// Ends, and returns when nothing is being done any more.
  func stop() async {
    rounds.stop()
    work.cancel()
    await work.value
  }
}
