import CSimulatedDisk
import Foundation

/// The database files of devices, in memory, so that writing to them makes no system calls.
enum DatabaseFiles {
  /// The size of a file in bytes; nil if it does not exist.
  static func size(of url: URL) -> Int? {
    let size = unsafe parhelion_disk_size(url.path)
    return size < 0 ? nil : Int(size)
  }

  /// All bytes of a file, or its first ones; nil if it does not exist.
  static func contents(of url: URL, upTo limit: Int = .max) -> [UInt8]? {
    guard let size = size(of: url) else { return nil }
    return unsafe [UInt8](unsafeUninitializedCapacity: min(size, limit)) { bytes, count in
      guard let place = bytes.baseAddress else { return }
      unsafe count = max(0, Int(parhelion_disk_read(url.path, place, Int64(bytes.count))))
    }
  }

  /// Creates a file, or replaces its content.
  static func write(_ bytes: [UInt8], to url: URL) throws {
    guard unsafe parhelion_disk_put(url.path, bytes, Int64(bytes.count)) != 0 else {
      throw NoMemory()
    }
  }

  /// Removes a file and returns whether it existed.
  static func remove(_ url: URL) -> Bool { unsafe parhelion_disk_remove(url.path) != 0 }

  static func removeAll(in folder: URL) { unsafe parhelion_disk_remove_folder(folder.path) }

  static func copyAll(in folder: URL, to destination: URL) throws {
    guard unsafe parhelion_disk_copy_folder(folder.path, destination.path) != 0 else {
      throw NoMemory()
    }
  }

  /// The error if there is not enough memory for a file.
  struct NoMemory: Error {}
}
