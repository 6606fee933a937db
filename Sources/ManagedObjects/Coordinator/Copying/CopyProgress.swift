import Foundation

/// The progress of a copy, if the program asked for it.
struct CopyProgress {
  let progress: Progress?

  func begin(_ total: Int) {
    progress?.totalUnitCount = Int64(total)
    progress?.completedUnitCount = 0
  }

  /// Fails if the program has cancelled the progress.
  func checkCancellation() throws {
    if progress?.isCancelled == true { throw CocoaError(.userCancelled) }
  }

  func advance(by count: Int) { progress?.completedUnitCount += Int64(count) }

  func end() {
    guard let progress else { return }
    progress.completedUnitCount = progress.totalUnitCount
  }
}
