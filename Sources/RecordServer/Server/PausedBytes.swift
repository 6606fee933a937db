import CloudRecords
import Synchronization

/// Counts the memory that paused requests hold between slices, to bound the total.
final class PausedBytes: Sendable {
  private let all = Mutex(0)
  private let limits: ReadingLimits

  init(_ limits: ReadingLimits) { self.limits = limits }

  /// Replaces the memory count of a request.
  ///
  /// Some memory is always allowed for each request, regardless of the others.
  ///
  /// - Returns: False if the count exceeds the limits; then the former count still applies.
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

  /// Releases the memory of a request that ends.
  func release(_ bytes: Int) { all.withLock { $0 -= bytes } }
}
