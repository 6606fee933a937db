import Foundation
import ObjectRows
import SQLiteDriver

/// Functions that change how a value is kept that may lie in a file of its own.
final class ExternalValueFunctions {
  /// Puts the byte before a value that says that it lies in the row.
  static let tagging = "ParhelionTagged"
  /// Gives the value itself, of a file where it lies in one.
  static let untagging = "ParhelionUntagged"

  private let folder: ValueFolder?
  /// The files whose values lie in rows once the migration is done.
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
        let content = try folder.files.contents(of: file)
        files.append(file)
        return .blob([UInt8](content))
      }
    }
  }

  /// Removes the files that nothing names any more.
  func removeFiles() {
    guard let folder else { return }
    // What cannot be removed is an orphan, which harms nobody.
    for file in files { try? folder.files.removeItem(at: file) }
  }
}
