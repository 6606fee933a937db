import Foundation
import ObjectRows

/// The external files of a copied store, which move into the folder of the store that it replaces.
///
/// New files arrive before the rows commit, and former ones go after that, so a killed process
/// leaves orphaned files at worst, never a row without its file.
struct MovedFiles {
  private let source: URL?
  private let destination: URL?
  private let files: any FileSystem
  private var moved: [String] = []
  /// The files that rows used before.
  var former: Set<String> = []

  init(to destination: StoreLocation, from source: StoreLocation, _ files: any FileSystem) {
    self.source = source.externalDataFolder
    self.destination = destination.externalDataFolder
    self.files = files
  }

  mutating func move(_ names: Set<String>) throws {
    guard let source, let destination, !names.isEmpty else { return }
    try files.createDurableDirectory(at: destination)
    for name in names.sorted() {
      try files.moveItem(
        at: source.appendingPathComponent(name), to: destination.appendingPathComponent(name))
      moved.append(name)
    }
    try files.synchronize(destination)
  }

  /// Removes the new files after a failure.
  func cancel() { remove(moved) }

  /// Removes the former files after the commit.
  func finish() {
    // `former` is empty if another process has already migrated the store, so its files stay.
    remove(former.subtracting(moved))
  }

  private func remove(_ names: some Sequence<String>) {
    guard let destination else { return }
    // A file that cannot be removed is a harmless orphan.
    for name in names { try? files.removeItem(at: destination.appendingPathComponent(name)) }
  }
}
