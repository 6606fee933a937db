import Foundation
import ObjectRows
import PredicateLanguage

/// The external files that one save creates, and those that it makes obsolete.
///
/// A file is written completely and synced under a temporary name, then renamed, before the rows
/// commit. Obsolete files are removed after the commit. So a crash may leave an orphaned file, but
/// never a row without its file.
final class ExternalFiles {
  private let folder: ValueFolder?
  private(set) var written: [String] = []
  private var superfluous: [String] = []

  /// Creates the files of a store.
  ///
  /// - Parameter folder: The folder for files; nil if the store has none, and all values are stored
  ///   in their rows.
  init(folder: ValueFolder?) { self.folder = folder }

  /// The column's bytes for a value; a large value is written to a new file.
  func stored(_ data: Data) throws -> Data {
    guard let folder, data.count >= Limits.externalDataBytes else {
      return ExternalReference.inline(data).stored
    }
    return ExternalReference.file(try write(data, to: folder)).stored
  }

  /// The column's bytes for a value that is already in a file.
  ///
  /// A file that a row gave up in this save is taken over; any other is copied.
  func stored(_ value: ExternalValue) throws -> Data {
    if superfluous.contains(value.name), value.folder == folder {
      superfluous.removeAll { $0 == value.name }
      return ExternalReference.file(value.name).stored
    }
    do { return try stored(value.data()) } catch let error as StoreError { throw error } catch {
      throw StoreError(
        .externalData,
        "The file \(value.file.path) of an attribute's bytes cannot be read: \(error).",
        context: ["path": value.file.path], underlying: error)
    }
  }

  /// Records that a row no longer uses the value that its column had.
  func release(stored data: Data) {
    if case .file(let name) = ExternalReference(stored: data) { superfluous.append(name) }
  }

  /// The present state, which `rollBack(to:)` restores if a row cannot be written.
  var mark: Mark { Mark(written: written.count, superfluous: superfluous) }

  struct Mark {
    fileprivate let written: Int
    fileprivate let superfluous: [String]
  }

  /// Forgets the files of a row that could not be written.
  func rollBack(to mark: Mark) {
    remove(Array(written[mark.written...]))
    written.removeSubrange(mark.written...)
    superfluous = mark.superfluous
  }

  /// Whether no file is obsolete after the commit.
  var removesNone: Bool { superfluous.isEmpty }

  /// Removes the files that the committed rows do not need.
  func finish() {
    remove(superfluous)
    superfluous = []
    written = []
  }

  /// Removes the files that were written for rows that did not commit.
  func cancel() {
    remove(written)
    superfluous = []
    written = []
  }

  private func remove(_ names: [String]) {
    guard let folder else { return }
    // A file that cannot be removed is a harmless orphan.
    for name in names { try? folder.files.removeItem(at: folder.url.appendingPathComponent(name)) }
  }

  private func write(_ data: Data, to folder: ValueFolder) throws -> String {
    let name = Self.newName()
    let files = folder.files
    let file = folder.url.appendingPathComponent(name)
    let unfinished = folder.url.appendingPathComponent(name + ".new")
    do {
      try files.createDirectory(at: folder.url)
      try files.write(data, to: unfinished)
      try files.synchronize(unfinished)
      try files.moveItem(at: unfinished, to: file)
      try files.synchronize(folder.url)
    } catch {
      // The file may have its final name already.
      for url in [unfinished, file] where files.itemExists(at: url) {
        try? files.removeItem(at: url)
      }
      throw Self.failure(of: file, error)
    }
    written.append(name)
    return name
  }

  private static func newName() -> String {
    let halves = (
      EvaluationDependencies.current.randomBits(), EvaluationDependencies.current.randomBits()
    )
    var bytes = unsafe unsafeBitCast(halves, to: uuid_t.self)
    // A random UUID, version 4.
    bytes.6 = bytes.6 & 0x0F | 0x40
    bytes.8 = bytes.8 & 0x3F | 0x80
    return UUID(uuid: bytes).uuidString
  }

  private static func failure(of file: URL, _ error: any Error) -> StoreError {
    let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
    return StoreError(
      isFull ? .outOfSpace : .externalData,
      "The bytes of an attribute cannot be written to \(file.path): \(error). Nothing was saved.",
      context: ["path": file.path], underlying: error)
  }
}
