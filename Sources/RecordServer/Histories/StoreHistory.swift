import BinaryCoding
import RecordStorage

/// A history of a storage: the first one, or one that began with a restoration.
///
/// A restored storage continues from a state after which clients have seen another continuation:
/// they know positions, tags and numbers that are lost. So all numbers that a history issues are
/// greater than its base, which no earlier history has reached:
///
/// ```
/// 0 ──────── backup ─ ─ lost ─ ─ ▷          the first history
///               ╎
///               └╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ base ─────▶  the one that a restoration began
/// ```
///
/// Positions up to the backup are the same in both.
struct StoreHistory: Hashable, Sendable {
  /// The exclusive lower bound of the history's numbers; zero for the first history.
  let base: UInt64

  static let first = StoreHistory(base: 0)

  init(base: UInt64) { self.base = base }

  /// The history that a restoration begins after this one.
  ///
  /// - Parameter chance: A random number that distinguishes it from another restoration of the same
  ///   state.
  func next(chance: UInt64) -> StoreHistory {
    StoreHistory(
      base: base + ServerLimits.historyDistance + chance % ServerLimits.historyRandomRange)
  }
}

// MARK: - Stored encoding

extension StoreHistory {
  static let partition = "_history"

  private static let version: UInt8 = 1

  private static var key: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.history.rawValue)
  }

  /// Reads the current history of a storage.
  init(of transaction: any StorageReading) throws {
    guard let bytes = try transaction.value(of: Self.key) else {
      self = .first
      return
    }
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.error("an unknown form of history") }
    self.init(base: try form.number())
    try form.requireEnd()
  }

  func store(in transaction: any StorageWriting) throws {
    var form = BinaryWriter(capacity: 11)
    form.byte(Self.version)
    form.number(base)
    try transaction.set(form.bytes, for: Self.key)
  }
}
