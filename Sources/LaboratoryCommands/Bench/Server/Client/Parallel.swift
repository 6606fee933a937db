import Foundation
import Synchronization

/// Work on separate threads, for clients that block on their sockets.
enum Parallel {
  /// Runs a closure concurrently, once for each number below a count.
  ///
  /// - Throws: One of the closure's errors, after all calls have ended.
  static func run<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) throws -> Result
  ) throws -> [Result] {
    let outcomes = Outcomes<Result>()
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        let outcome = Swift.Result { try work(number) }
        outcomes.all.withLock { $0.append(outcome) }
        group.leave()
      }
    }
    group.wait()
    return try outcomes.all.withLock { try $0.map { try $0.get() } }
  }

  private final class Outcomes<Result: Sendable>: Sendable {
    let all = Mutex<[Swift.Result<Result, any Error>]>([])
  }
}
