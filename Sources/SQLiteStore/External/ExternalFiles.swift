import Foundation
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// The external files that one save creates, and those that it makes obsolete.
///
/// A file is written completely and synced under a temporary name, then renamed, before the rows
/// commit. Obsolete files are removed after the commit. So a crash may leave an orphaned file, but
/// never a row without its file.
final class ExternalFiles {
  private let folder: ValueFolder?
  private(set) var written: [String] = []
  private var obsolete: Set<String> = []
  /// The names that entered or left `obsolete`, in this order.
  private var toggled: [String] = []

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
  /// A file that a row released in this save is reused; any other is copied.
  func stored(_ value: ExternalValue) throws -> Data {
    if obsolete.contains(value.name), value.folder == folder {
      toggle(value.name)
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
    guard case .file(let name) = ExternalReference(stored: data), !obsolete.contains(name) else {
      return
    }
    toggle(name)
  }

  /// Adds a name to the obsolete ones, or removes it.
  private func toggle(_ name: String) {
    if obsolete.remove(name) == nil { obsolete.insert(name) }
    toggled.append(name)
  }

  /// The current state, which `rollBack(to:)` restores if a row cannot be written.
  var mark: Mark { Mark(written: written.count, toggled: toggled.count) }

  struct Mark {
    fileprivate let written: Int
    fileprivate let toggled: Int
  }

  /// Forgets the files of a row that could not be written.
  func rollBack(to mark: Mark) {
    remove(Array(written[mark.written...]))
    written.removeSubrange(mark.written...)
    for name in toggled[mark.toggled...] { toggle(name) }
    toggled.removeSubrange(mark.toggled...)
  }

  /// Removes the files that the committed rows do not need.
  ///
  /// If a power failure loses the commit, the former rows still need them. So they are removed only
  /// if the commit is on the disk.
  func finish(on connection: Connection) {
    if !obsolete.isEmpty, (try? connection.syncCommits()) != nil { remove(obsolete.sorted()) }
    forget()
  }

  /// Removes the files that were written for rows that did not commit.
  func cancel() {
    remove(written)
    forget()
  }

  private func forget() {
    written = []
    obsolete = []
    toggled = []
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
      try files.createDurableDirectory(at: folder.url)
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
