import CSimulatedDisk
import Foundation
import Synchronization

/// The disks of all devices in this process; a file of SQLite belongs to the disk of its folder.
enum SimulatedDisks {
  private static let byFolder = Mutex<[String: WeakDisk]>([:])

  /// The name of the VFS through which SQLite accesses devices' files.
  static let layer: String = {
    let code = parhelion_simulated_disk_register(listener)
    precondition(
      code == 0, "The files of simulated devices cannot be registered with SQLite: code \(code).")
    return PARHELION_SIMULATED_DISK
  }()

  static func add(_ disk: SimulatedDisk) {
    byFolder.withLock { $0[disk.folder.path] = WeakDisk(disk: disk) }
  }

  static func remove(_ folder: URL) {
    _ = byFolder.withLock { $0.removeValue(forKey: folder.path) }
  }

  /// The file at a path; nil if it belongs to no device.
  fileprivate static func file(at path: String) -> SimulatedFile? {
    guard let slash = path.lastIndex(of: "/"),
      let disk = byFolder.withLock({ $0[String(path[..<slash])]?.disk })
    else { return nil }
    return SimulatedFile(disk: disk, name: String(path[path.index(after: slash)...]))
  }

  private struct WeakDisk {
    weak var disk: SimulatedDisk?
  }

  private static var listener: parhelion_disk_listener {
    unsafe parhelion_disk_listener(
      opened: { path in
        guard let file = unsafe SimulatedDisks.file(at: String(cString: path)) else { return nil }
        file.disk.opens(file.name)
        return unsafe Unmanaged.passRetained(file).toOpaque()
      },
      writes: { file, place, bytes, count in
        let file = unsafe SimulatedFile.of(file)
        unsafe file.disk.writes(
          UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(place), in: file.name)
      },
      resizes: { file, size in
        let file = unsafe SimulatedFile.of(file)
        file.disk.resizes(file.name, to: Int(size))
      },
      synced: { file in
        let file = unsafe SimulatedFile.of(file)
        file.disk.synced(file.name)
      },
      ended: { file in unsafe SimulatedFile.of(file).disk.ended() },
      closed: { file in unsafe Unmanaged<SimulatedFile>.fromOpaque(file).release() })
  }
}

/// An open file.
private final class SimulatedFile: Sendable {
  let disk: SimulatedDisk
  let name: String

  init(disk: SimulatedDisk, name: String) { (self.disk, self.name) = (disk, name) }

  static func of(_ pointer: UnsafeMutableRawPointer) -> SimulatedFile {
    unsafe Unmanaged<SimulatedFile>.fromOpaque(pointer).takeUnretainedValue()
  }
}
