internal import Dispatch
internal import Synchronization

/// Threads that wait for disks, so that others do not.
final class DiskWorkers: Sendable {
  private let workers: [DiskWorker]
  private let taken = Atomic(0)

  init(count: Int) {
    workers = (0..<count).map { DiskWorker(queue: DispatchQueue(label: "parhelion.assets.\($0)")) }
  }

  /// The next worker, round robin.
  func take() -> DiskWorker {
    let place = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return workers[Int(UInt(bitPattern: place) % UInt(workers.count))]
  }
}

/// A serial thread of the pool.
struct DiskWorker: Sendable {
  fileprivate let queue: DispatchQueue

  /// Runs a blocking operation.
  ///
  /// It runs even if the waiting task is cancelled.
  func perform<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Swift.Result(catching: body)) }
    }
    return try result.get()
  }
}
