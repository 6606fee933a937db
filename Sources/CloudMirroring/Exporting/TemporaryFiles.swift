import Foundation
import MirrorModel
import Synchronization

/// The staged asset files of one page of the outbox.
///
/// The exporter removes them when the page ends, even if it fails. If the user's quota is exceeded,
/// the page is retried many times, and each attempt stages its files again.
final class TemporaryFiles: AssetStaging {
  private let base: any AssetStaging
  private let staged = Mutex<Set<StagedFile>>([])

  init(_ base: any AssetStaging) { self.base = base }

  func stage(_ text: String) throws -> StagedFile { record(try base.stage(text)) }
  func stage(_ data: Data) throws -> StagedFile { record(try base.stage(data)) }
  func stage(_ file: BorrowedFile) throws -> StagedFile { record(try base.stage(file)) }

  private func record(_ file: StagedFile) -> StagedFile {
    staged.withLock { _ = $0.insert(file) }
    return file
  }

  func remove(_ files: [StagedFile]) {
    staged.withLock { $0.subtract(files) }
    base.remove(files)
  }

  /// Removes the remaining files.
  func removeAll() { remove(Array(staged.withLock(\.self))) }
}
