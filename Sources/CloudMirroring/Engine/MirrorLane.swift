import Synchronization

/// Does one thing after the other, in the order in which they came.
final class MirrorLane: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  /// Adds something behind everything else.
  func add(_ body: @escaping @Sendable () async -> Void) {
    last.withLock { last in
      let before = last
      last = Task {
        await before?.value
        await body()
      }
    }
  }

  /// Does something behind everything else, and gives what it comes to.
  func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
    let task = last.withLock { last in
      let before = last
      let task = Task {
        await before?.value
        return await body()
      }
      last = Task { _ = await task.value }
      return task
    }
    return await task.value
  }
}
