import Foundation
import MirrorModel
import Synchronization

/// The files from which the assets of one page are uploaded.
///
/// They are removed with the page, however it ends: a full account is retried many times.
final class TemporaryFiles: AssetStaging {
  private let base: any AssetStaging
  private let made = Mutex<Set<StagedFile>>([])

  init(_ base: any AssetStaging) { self.base = base }

  func stage(_ text: String) throws -> StagedFile { note(try base.stage(text)) }
  func stage(_ data: Data) throws -> StagedFile { note(try base.stage(data)) }
  func stage(_ file: BorrowedFile) throws -> StagedFile { note(try base.stage(file)) }

  private func note(_ file: StagedFile) -> StagedFile {
    made.withLock { _ = $0.insert(file) }
    return file
  }

  func remove(_ files: [StagedFile]) {
    made.withLock { $0.subtract(files) }
    base.remove(files)
  }

  /// Removes the remaining files.
  func removeAll() { remove(Array(made.withLock(\.self))) }
}
