internal import Dispatch
internal import Synchronization

/// A pool of serial queues for blocking disk operations, so that callers do not block.
final class DiskWorkers: Sendable {
  private let workers: [DiskWorker]
  private let taken = Atomic(0)

  init(count: Int) {
    workers = (0..<count).map { DiskWorker(queue: DispatchQueue(label: "parhelion.assets.\($0)")) }
  }

  /// Returns the next worker, round robin.
  func take() -> DiskWorker {
    let place = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return workers[Int(UInt(bitPattern: place) % UInt(workers.count))]
  }
}

/// A serial queue of the pool.
struct DiskWorker: Sendable {
  fileprivate let queue: DispatchQueue

  /// Runs a blocking operation.
  ///
  /// The operation runs even if the waiting task is cancelled.
  func perform<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Swift.Result(catching: body)) }
    }
    return try result.get()
  }
}
