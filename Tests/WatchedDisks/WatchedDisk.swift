import CSQLite
import CWatchedDisk
import Foundation
package import TestSupport

/// The writes and syncs of this process to SQLite's files, and the disks that a loss of power could
/// leave.
///
/// Use it in exit tests only, because it watches the whole process.
///
/// Synced writes survive. Each later write may survive, be lost, or survive in part, by sectors.
package struct WatchedDisk {
  /// Which unsynced writes survive the loss of power.
  package enum WriteSurvival: CaseIterable, Sendable {
    case none, some, all
  }

  /// Whether a sync has an effect.
  ///
  /// A disk may report a sync and do nothing.
  package let honorsSyncs: Bool

  package init(honorsSyncs: Bool) { self.honorsSyncs = honorsSyncs }

  /// Starts to watch the files that this process opens from now on.
  ///
  /// Works once for each process.
  package static func install() -> Bool { watched_disk_install() == SQLITE_OK }

  /// Stops watching.
  package static func remove() { watched_disk_remove() }

  /// Inserts a number into the recorded events, which `notes(before:)` finds.
  package static func note(_ number: Int) { watched_disk_note(Int64(number)) }

  package static var eventCount: Int { Int(watched_disk_event_count()) }

  /// The number of syncs since an event; each of them waits for the disk.
  package static func waits(since event: Int) -> Int {
    (event..<eventCount).count { watched_disk_event(Int64($0)).kind == Int32(WATCHED_SYNC) }
  }

  /// The number of syncs of one file since an event.
  package static func waits(since event: Int, forFileAt path: String) -> Int {
    let file = (0..<watched_disk_file_count()).first {
      unsafe String(cString: watched_disk_path($0)) == path
    }
    return (event..<eventCount).count { number in
      let event = watched_disk_event(Int64(number))
      return event.kind == Int32(WATCHED_SYNC) && event.file == file
    }
  }

  /// The inserted numbers before an event.
  package static func notes(before end: Int) -> [Int] {
    (0..<end).map { watched_disk_event(Int64($0)) }.filter { $0.kind == Int32(WATCHED_NOTE) }
      .map { Int($0.place) }
  }

  /// Writes the files that a loss of power before an event leaves.
  package func write(
    to folder: String, asOf end: Int, _ survival: WriteSurvival,
    using generator: inout SeededGenerator
  ) throws {
    for file in 0..<watched_disk_file_count() {
      var image = Image()
      for number in 0..<end {
        image.take(watched_disk_event(Int64(number)), number, of: file, honorsSyncs)
      }
      image.settle(survival, using: &generator)
      guard image.exists else { continue }
      let name = unsafe URL(fileURLWithPath: String(cString: watched_disk_path(file)))
        .lastPathComponent
      try Data(image.bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
    }
  }
}

/// A file on the disk, with its pending writes.
private struct Image {
  private(set) var bytes: [UInt8] = []
  /// Whether the file was ever written.
  private(set) var exists = false
  private var pending: [(number: Int, event: watched_event)] = []

  mutating func take(_ event: watched_event, _ number: Int, of file: Int32, _ syncs: Bool) {
    guard event.file == file else { return }
    exists = true
    guard event.kind == Int32(WATCHED_SYNC) else { return pending.append((number, event)) }
    guard syncs else { return }
    for (number, write) in pending where number < event.place { apply(write) }
    pending.removeAll { $0.number < event.place }
  }

  mutating func settle(
    _ survival: WatchedDisk.WriteSurvival, using generator: inout SeededGenerator
  ) {
    for (_, event) in pending {
      switch survival {
      case .none: break
      case .all: apply(event)
      case .some: if Bool.random(using: &generator) { applyInPart(event, using: &generator) }
      }
    }
  }

  private mutating func apply(_ event: watched_event) {
    if event.kind == Int32(WATCHED_TRUNCATE) { return resize(to: Int(event.place)) }
    put(
      unsafe UnsafeRawBufferPointer(start: event.bytes, count: Int(event.count)),
      at: Int(event.place))
  }

  /// Applies the whole event or only some sectors of a write, each in half of the cases.
  private mutating func applyInPart(_ event: watched_event, using generator: inout SeededGenerator)
  {
    guard event.kind == Int32(WATCHED_WRITE), Bool.random(using: &generator) else {
      return apply(event)
    }
    let written = unsafe UnsafeRawBufferPointer(start: event.bytes, count: Int(event.count))
    for start in stride(from: 0, to: written.count, by: 512) where Bool.random(using: &generator) {
      let sector = unsafe UnsafeRawBufferPointer(
        rebasing: written[start..<min(start + 512, written.count)])
      unsafe put(sector, at: Int(event.place) + start)
    }
  }

  private mutating func put(_ written: UnsafeRawBufferPointer, at place: Int) {
    if bytes.count < place + written.count { resize(to: place + written.count) }
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + written.count])
        .copyMemory(from: written)
    }
  }

  private mutating func resize(to count: Int) {
    if count < bytes.count {
      bytes.removeLast(bytes.count - count)
    } else {
      bytes += [UInt8](repeating: 0, count: count - bytes.count)
    }
  }
}
