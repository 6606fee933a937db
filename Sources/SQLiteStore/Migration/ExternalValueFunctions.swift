import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// SQL functions that change whether a value may be in an external file.
final class ExternalValueFunctions {
  /// Prefixes a plain value with the tag byte that means “stored in the row”.
  static let tagging = "ParhelionTagged"
  /// Returns the plain value, read from its file if it is external.
  static let untagging = "ParhelionUntagged"

  private let folder: ValueFolder?
  /// The files that no row uses after the migration: their values moved into rows, or were dropped.
  private(set) var files: [URL] = []

  init(folder: ValueFolder?) { self.folder = folder }

  func register(on connection: Connection) throws(SQLiteError) {
    try connection.register(function: Self.tagging, arity: .exactly(1)) { arguments in
      arguments.blob(at: 0).map { .blob([1] + $0) } ?? .null
    }
    try connection.register(function: Self.untagging, arity: .exactly(1)) {
      [unowned self] arguments in
      guard let bytes = arguments.blob(at: 0) else { return .null }
      switch ExternalReference(stored: Data(bytes)) {
      case .inline(let data): return .blob([UInt8](data))
      case .file(let name):
        guard let folder else { return .blob(bytes) }
        let file = folder.url.appendingPathComponent(name)
        guard folder.files.itemExists(at: file) else {
          LogLine.warn("The file \(file.path) is missing, so the migrated object has no value.")
          return .null
        }
        let content = try folder.files.contents(of: file)
        files.append(file)
        return .blob([UInt8](content))
      }
    }
  }

  /// Records the file of a value that the migration drops.
  func release(stored bytes: [UInt8]) {
    guard let folder, case .file(let name) = ExternalReference(stored: Data(bytes)) else { return }
    files.append(folder.url.appendingPathComponent(name))
  }

  /// Removes the files that no row uses any longer.
  func removeFiles(on connection: Connection) {
    guard let folder, !files.isEmpty, (try? connection.syncCommits()) != nil else { return }
    // A file that cannot be removed is a harmless orphan.
    for file in files { try? folder.files.removeItem(at: file) }
  }
}
