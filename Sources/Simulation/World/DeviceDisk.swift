import Foundation

/// What is on a device's disk, kept for when it has crashed.
enum DeviceDisk {
  /// Copies the files as they are, while the device works with them.
  ///
  /// The index of a log is left out: it lives in memory, and a device that starts makes it again.
  static func keep(_ folder: URL, at place: URL) {
    let files = FileManager.default
    do {
      try? files.removeItem(at: place)
      try files.createDirectory(at: place, withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
        try files.copyItem(at: folder.appendingPathComponent(name), to: place.appendingPathComponent(name))
      }
    } catch {
      preconditionFailure("The files of a simulated device cannot be copied: \(error)")
    }
  }

  /// Puts the files back that were kept.
  static func putBack(_ place: URL, to folder: URL) throws {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.moveItem(at: place, to: folder)
  }
}
