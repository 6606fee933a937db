import Foundation
import ObjectRows
import PredicateLanguage

/// The files that one save writes beside the store, and those that it makes superfluous.
///
/// A file is written whole and to the disk under another name before it gets its own, and that
/// before the rows are committed; a file that no row needs any more is removed after the commit. So
/// a crash may leave a file that nobody needs, and never a row without its file.
final class ExternalFiles {
  private let folder: ValueFolder?
  private(set) var written: [String] = []
  private var superfluous: [String] = []

  /// - Parameter folder: Nil where the store has no place for files; all values lie in their rows
  ///   then.
  init(folder: ValueFolder?) { self.folder = folder }

  /// What a column holds for a value: a large one goes to a new file.
  func stored(_ data: Data) throws -> Data {
    guard let folder, data.count >= Limits.externalDataBytes else {
      return ExternalReference.inline(data).stored
    }
    return ExternalReference.file(try write(data, to: folder)).stored
  }

  /// What a column holds for a value that is in a file already.
  ///
  /// A file has one row: bytes of another row, or of another store, are copied.
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

  /// Notes that a row lets go of the value that its column had.
  func release(stored data: Data) {
    if case .file(let name) = ExternalReference(stored: data) { superfluous.append(name) }
  }

  /// What there is before a row is written, to go back to when it cannot be.
  var mark: Mark { Mark(written: written.count, superfluous: superfluous) }

  struct Mark {
    fileprivate let written: Int
    fileprivate let superfluous: [String]
  }

  /// Forgets what was done for a row that could not be written.
  func goBack(to mark: Mark) {
    remove(Array(written[mark.written...]))
    written.removeSubrange(mark.written...)
    superfluous = mark.superfluous
  }

  /// Removes what the committed rows do not need.
  func finish() {
    remove(superfluous)
    superfluous = []
    written = []
  }

  /// Removes what was written for rows that were not committed.
  func cancel() {
    remove(written)
    superfluous = []
    written = []
  }

  private func remove(_ names: [String]) {
    guard let folder else { return }
    // What cannot be removed is an orphan, which harms nobody.
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
      // It may have got its name already.
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
