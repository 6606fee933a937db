internal import Dispatch
internal import Synchronization

/// Threads that wait for disks, so that nobody else does.
final class DiskWorkers: Sendable {
  private let workers: [DiskWorker]
  private let taken = Atomic(0)

  init(count: Int) {
    workers = (0..<count).map { DiskWorker(queue: DispatchQueue(label: "parhelion.assets.\($0)")) }
  }

  /// The next one, in turn.
  func take() -> DiskWorker {
    let place = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return workers[Int(UInt(bitPattern: place) % UInt(workers.count))]
  }
}

/// One of these threads: what it is given happens in order.
struct DiskWorker: Sendable {
  fileprivate let queue: DispatchQueue

  /// Does something that blocks.
  ///
  /// It is done though the task that waits for it is cancelled.
  func perform<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Swift.Result(catching: body)) }
    }
    return try result.get()
  }
}
