import Foundation
import Synchronization

/// The disk of a device: a folder, what of its databases a loss of power would leave, and what it
/// was when the device crashed.
///
/// Each transaction in a database has two moments: just before its commit is written, and just
/// behind.
final class SimulatedDisk: Sendable {
  /// What is to be expected of a device's power, and of its disk then.
  enum Power: Sendable {
    case stays
    /// It may be lost: what is on the disk is remembered beside the files.
    case mayBeLost
    /// The same, and the disk says that it has what it has not: of a broken device.
    case mayBeLostByLiar
  }

  private struct State {
    /// The databases and logs that were opened since the device got this disk, by name; empty where
    /// nobody loses power.
    var images: [String: FileImage] = [:]
    var moment: (@Sendable () -> Void)?
  }

  /// The device's own folder.
  let folder: URL
  private let kept: URL
  private let chance: SharedRandomness
  private let power: Power
  private let state = Mutex(State())

  /// - Parameter kept: Where the files lie from a crash up to the next start.
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

  /// What is done at each moment of transactions.
  func atMoments(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.moment = body } }

  // MARK: Crashing

  /// Keeps what is on the disk, while the device works with it.
  ///
  /// - Parameter losesPower: Whether writes that nobody has synced may be missing.
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
    let luck = FileImage.WriteSurvival.allCases[
      generator.below(FileImage.WriteSurvival.allCases.count)]
    for (name, image) in state.withLock(\.images).sorted(by: { $0.key < $1.key }) {
      try DatabaseFiles.write(
        image.settled(luck, using: &generator), to: kept.appendingPathComponent(name))
    }
  }

  /// Puts the files back that were kept.
  func putBack() throws {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.moveItem(at: kept, to: folder)
    DatabaseFiles.removeAll(in: folder)
    try DatabaseFiles.copyAll(in: kept, to: folder)
    DatabaseFiles.removeAll(in: kept)
    state.withLock { $0.images = [:] }
  }

  /// Begins with nothing.
  func empty() throws {
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    DatabaseFiles.removeAll(in: folder)
    state.withLock { $0.images = [:] }
  }

  // MARK: What databases do

  private var remembersSyncs: Bool { power != .stays }

  /// A database or its log is opened: it was there, or is new.
  func opens(_ name: String) {
    guard remembersSyncs, state.withLock({ $0.images[name] == nil }) else { return }
    let bytes = DatabaseFiles.contents(of: folder.appendingPathComponent(name)) ?? []
    state.withLock { $0.images[name] = FileImage(bytes) }
  }

  func writes(_ bytes: UnsafeRawBufferPointer, at place: Int, in name: String) {
    if unsafe LogFrame.isCommit(bytes, in: name) { passMoment() }
    guard remembersSyncs else { return }
    let copy = unsafe Array(bytes)
    state.withLock { $0.images[name]?.write(copy, at: place) }
  }

  func resizes(_ name: String, to size: Int) {
    if remembersSyncs { state.withLock { $0.images[name]?.resize(to: size) } }
  }

  func synced(_ name: String) {
    if power == .mayBeLost { state.withLock { $0.images[name]?.sync() } }
  }

  /// A transaction was committed, or rolled back.
  func ended() { passMoment() }

  private func passMoment() { state.withLock(\.moment)?() }
}

/// What SQLite writes into a log: a head of 24 bytes before each page, which says by how large the
/// database is then that it ends a transaction.
private enum LogFrame {
  private static let headBytes = 24
  private static let sizeBytes = 4..<8

  static func isCommit(_ bytes: UnsafeRawBufferPointer, in name: String) -> Bool {
    guard bytes.count == headBytes, name.hasSuffix("-wal") else { return false }
    return unsafe bytes[sizeBytes].contains { $0 != 0 }
  }
}
