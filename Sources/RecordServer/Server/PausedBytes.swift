import CloudRecords
import Synchronization

/// Counts what requests keep in memory from one slice to the next, so that many of them cannot fill
/// it.
final class PausedBytes: Sendable {
  private let all = Mutex(0)
  private let limits: ReadingLimits

  init(_ limits: ReadingLimits) { self.limits = limits }

  /// Counts what a request keeps now, instead of what it kept before.
  ///
  /// - Returns: False if there is no room for it; what it kept before still counts.
  func replace(_ before: Int, by bytes: Int) -> Bool {
    all.withLock { all in
      let sum = all - before + bytes
      guard sum <= limits.pausedBytes || bytes <= max(before, limits.pausedBytesOfOne) else {
        return false
      }
      all = sum
      return true
    }
  }

  /// A request ends that kept so many bytes.
  func release(_ bytes: Int) { all.withLock { $0 -= bytes } }
}
