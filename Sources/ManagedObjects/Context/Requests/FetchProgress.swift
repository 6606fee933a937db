import Foundation
import ObjectRows
import Synchronization

/// The progress of an asynchronous fetch, with one unit for each result.
///
/// The store's thread counts results, and the units change on the context's queue only, because
/// Foundation's class has no lock.
// Sendable: the store's thread uses the atomic properties only.
final class FetchProgress: Progress, ReadMonitor, @unchecked Sendable {
  private weak let context: NSManagedObjectContext?
  private let isStopped = Atomic(false)
  private let readCount = Atomic(0)
  private let reportedCount = Atomic(0)
  /// Whether a block that updates the units waits on the context's queue.
  private let isReporting = Atomic(false)
  private var isOver = false

  /// Creates the progress as a child of the thread's current one.
  ///
  /// - Parameter estimate: The expected number of results; 0 if it is unknown.
  init(of context: NSManagedObjectContext, estimate: Int) {
    self.context = context
    super.init(parent: .current())
    isCancellable = true
    totalUnitCount = estimate > 0 ? Int64(estimate) : -1
  }

  override func cancel() {
    isStopped.store(true, ordering: .relaxed)
    super.cancel()
  }

  // MARK: Reading

  var isReadCancelled: Bool { isStopped.load(ordering: .relaxed) }

  func add(_ count: Int) {
    let total = readCount.add(count, ordering: .relaxed).newValue
    guard total - reportedCount.load(ordering: .relaxed) >= Limits.resultsPerReport else { return }
    reportedCount.store(total, ordering: .relaxed)
    report()
  }

  /// Begins to count again, for another read.
  func restart() {
    readCount.store(0, ordering: .relaxed)
    reportedCount.store(0, ordering: .relaxed)
  }

  private func report() {
    guard let context else { return }
    if context.queue.isCurrent { return updateUnits() }
    guard !isReporting.exchange(true, ordering: .relaxed) else { return }
    context.queue.perform { [weak self] in self?.updateUnits() }
  }

  // MARK: Units

  private func updateUnits() {
    isReporting.store(false, ordering: .relaxed)
    let count = Int64(readCount.load(ordering: .relaxed))
    guard !isOver, count > completedUnitCount else { return }
    // More results than expected: the total is unknown until the end.
    if totalUnitCount >= 0, count >= totalUnitCount { totalUnitCount = -1 }
    completedUnitCount = count
  }

  /// Completes the progress.
  ///
  /// A fetch without results counts as one unit, because Foundation never regards zero units as
  /// finished, and a parent would wait forever.
  func finish(_ count: Int) {
    isOver = true
    totalUnitCount = Int64(max(1, count))
    completedUnitCount = totalUnitCount
  }
}
