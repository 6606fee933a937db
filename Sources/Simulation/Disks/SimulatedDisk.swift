import Foundation
import Synchronization

/// The disk of a device: its folder, its databases' durable content, and the state at a crash.
///
/// Each database transaction has two crash points: just before and just after its commit.
final class SimulatedDisk: Sendable {
  /// The possible power failures of a device.
  enum Power: Sendable {
    case stays
    /// Power may fail, so the durable content is tracked.
    case mayBeLost
    /// Power may fail, and the disk ignores syncs; for mutations.
    case mayBeLostWithoutSyncs
    /// Power may fail, and the disk ignores syncs of writes by earlier transactions; for mutations.
    case mayBeLostWithoutSettling
  }

  private struct State {
    /// The databases and logs that were opened on this disk, by name; empty if power cannot fail.
    var images: [String: FileImage] = [:]
    /// The files that the present transaction has written.
    var written: Set<String> = []
    var atCrashPoint: (@Sendable () -> Void)?
  }

  /// The device's own folder.
  let folder: URL
  private let kept: URL
  private let chance: SharedRandomness
  private let power: Power
  private let state = Mutex(State())

  /// Creates a disk for the files of a folder.
  ///
  /// - Parameter kept: The folder that keeps the files from a crash until the next start.
  init(_ folder: URL, kept: URL, chance: SharedRandomness, _ power: Power) throws {
    (self.folder, self.kept, self.chance, self.power) = (folder, kept, chance, power)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    SimulatedDisks.add(self)
  }

  deinit {
    SimulatedDisks.remove(folder)
    DatabaseFiles.removeAll(in: folder)
    DatabaseFiles.removeAll(in: kept)
  }

  /// Sets the closure that each crash point of a transaction calls.
  func atCrashPoints(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.atCrashPoint = body }
  }

  // MARK: Crashing

  /// Saves a copy of the disk while the device uses it.
  ///
  /// - Parameter losesPower: Whether unsynced writes may be missing from the copy.
  func keep(losesPower: Bool) {
    let files = FileManager.default
    do {
      try? files.removeItem(at: kept)
      try files.createDirectory(at: kept, withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: folder.path) {
        try files.copyItem(
          at: folder.appendingPathComponent(name), to: kept.appendingPathComponent(name))
      }
      DatabaseFiles.removeAll(in: kept)
      try DatabaseFiles.copyAll(in: folder, to: kept)
      if losesPower { try settleImages() }
    } catch {
      preconditionFailure("The files of a simulated device cannot be copied: \(error)")
    }
  }

  private func settleImages() throws {
    var generator = SimulatedGenerator(seed: chance.bits())
    let survival = FileImage.WriteSurvival.allCases[
      generator.below(FileImage.WriteSurvival.allCases.count)]
    for (name, image) in state.withLock(\.images).sorted(by: { $0.key < $1.key }) {
      try DatabaseFiles.write(
        image.settled(survival, using: &generator), to: kept.appendingPathComponent(name))
    }
  }

  /// Restores the saved files.
  func restoreFiles() throws {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.moveItem(at: kept, to: folder)
    DatabaseFiles.removeAll(in: folder)
    try DatabaseFiles.copyAll(in: kept, to: folder)
    DatabaseFiles.removeAll(in: kept)
    state.withLock { $0.images = [:] }
  }

  /// Empties the disk.
  func empty() throws {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    DatabaseFiles.removeAll(in: folder)
    state.withLock { $0.images = [:] }
  }

  // MARK: Database operations

  private var remembersSyncs: Bool { power != .stays }

  /// Called when a database or log is opened, whether or not it existed.
  func opens(_ name: String) {
    guard remembersSyncs, state.withLock({ $0.images[name] == nil }) else { return }
    let bytes = DatabaseFiles.contents(of: folder.appendingPathComponent(name)) ?? []
    state.withLock { $0.images[name] = FileImage(bytes) }
  }

  func writes(_ bytes: UnsafeRawBufferPointer, at place: Int, in name: String) {
    if unsafe LogFrame.isCommit(bytes, in: name) { passCrashPoint() }
    guard remembersSyncs else { return }
    let copy = unsafe Array(bytes)
    state.withLock { state in
      state.written.insert(name)
      state.images[name]?.write(copy, at: place)
    }
  }

  func resizes(_ name: String, to size: Int) {
    if remembersSyncs { state.withLock { $0.images[name]?.resize(to: size) } }
  }

  func synced(_ name: String) {
    state.withLock { state in
      switch power {
      case .mayBeLost: state.images[name]?.sync()
      case .mayBeLostWithoutSettling where state.written.contains(name):
        state.images[name]?.sync()
      default: break
      }
    }
  }

  /// Called when a transaction commits or rolls back.
  func ended() {
    state.withLock { $0.written = [] }
    passCrashPoint()
  }

  private func passCrashPoint() { state.withLock(\.atCrashPoint)?() }
}

/// The format of frames in SQLite's write-ahead log: each page follows a header of 24 bytes.
///
/// The header has a database size, which is not zero if the frame ends a transaction.
private enum LogFrame {
  private static let headBytes = 24
  private static let sizeBytes = 4..<8

  static func isCommit(_ bytes: UnsafeRawBufferPointer, in name: String) -> Bool {
    guard bytes.count == headBytes, name.hasSuffix("-wal") else { return false }
    return unsafe bytes[sizeBytes].contains { $0 != 0 }
  }
}
