import Foundation
import ObjectRows

/// The files next to a store that is replaced with a copy of another.
///
/// New files arrive before the rows commit, and former ones go after that, so a killed process or
/// a full disk leaves orphaned files at worst, never a row without its file.
struct SupportFiles {
  private let source: URL?
  private let destination: URL?
  private let files: any FileSystem
  /// The paths of the copied files and folders, below the folder of the store.
  private var copied: Set<String> = []
  /// The copied files that the store did not have.
  private var added: [String] = []

  init(of destination: StoreLocation, from source: StoreLocation, _ files: any FileSystem) {
    self.source = source.supportFolder
    self.destination = destination.supportFolder
    self.files = files
  }

  /// Copies the files of the other store.
  mutating func copy() throws {
    guard let source, let destination, files.itemExists(at: source) else { return }
    try copyFolder("", from: source, to: destination)
  }

  private mutating func copyFolder(_ path: String, from source: URL, to destination: URL) throws {
    try files.createDurableDirectory(at: destination)
    copied.insert(path)
    for name in try files.names(in: source).sorted() {
      let (item, copy) = (
        source.appendingPathComponent(name), destination.appendingPathComponent(name)
      )
      switch files.kind(of: item) {
      case .folder: try copyFolder(path + "/" + name, from: item, to: copy)
      case .file: try copyFile(path + "/" + name, from: item, to: copy)
      case nil: break
      }
    }
    try files.synchronize(destination)
  }

  private mutating func copyFile(_ path: String, from source: URL, to destination: URL) throws {
    let unfinished = URL(fileURLWithPath: destination.path + ".new")
    let isNew = !files.itemExists(at: destination)
    if files.itemExists(at: unfinished) { try files.removeItem(at: unfinished) }
    do {
      try files.copyItem(at: source, to: unfinished)
      try files.synchronize(unfinished)
      try files.replaceItem(at: destination, withItemAt: unfinished)
    } catch {
      try? files.removeItem(at: unfinished)
      throw error
    }
    copied.insert(path)
    if isNew { added.append(path) }
  }

  /// Removes the new files after a failure.
  func cancel() {
    guard let destination else { return }
    // A file that cannot be removed is a harmless orphan.
    for path in added { try? files.removeItem(at: URL(fileURLWithPath: destination.path + path)) }
  }

  /// Removes the former files after the commit.
  func finish() {
    if let destination { removeFormer("", at: destination) }
  }

  private func removeFormer(_ path: String, at url: URL) {
    guard let kind = files.kind(of: url) else { return }
    guard copied.contains(path) else {
      try? files.removeItem(at: url)
      return
    }
    guard kind == .folder else { return }
    for name in (try? files.names(in: url)) ?? [] {
      removeFormer(path + "/" + name, at: url.appendingPathComponent(name))
    }
  }
}
