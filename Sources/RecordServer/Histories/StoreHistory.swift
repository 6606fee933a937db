import BinaryCoding
import RecordStorage

/// The course that a storage takes: the first one, or one that a restoration began.
///
/// A restored storage goes on from a state that clients have seen go on otherwise: they hold
/// positions, tags and numbers of what is lost. So all that a history gives out lies behind its
/// base, where no earlier one has been:
///
/// ```
/// 0 ──────── backup ─ ─ lost ─ ─ ▷          the first history
///               ╎
///               └╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ base ─────▶  the one that a restoration began
/// ```
///
/// Positions up to the backup are the same in both.
struct StoreHistory: Hashable, Sendable {
  /// All numbers of the history are greater; zero for the first one.
  let base: UInt64

  static let first = StoreHistory(base: 0)

  init(base: UInt64) { self.base = base }

  /// The history that a restoration begins after this one.
  ///
  /// - Parameter chance: Tells it from another one that begins at the same state, of which this one
  ///   cannot know.
  func next(chance: UInt64) -> StoreHistory {
    StoreHistory(base: base + ServerLimits.historyDistance + chance % ServerLimits.historyChances)
  }
}

// MARK: - As it is stored

extension StoreHistory {
  static let partition = "_history"

  private static let version: UInt8 = 1

  private static var key: StorageKey {
    StorageKey(partition: partition, keyspace: Keyspace.history.rawValue)
  }

  /// The history that a storage is in.
  init(of transaction: any StorageReading) throws {
    guard let bytes = try transaction.value(of: Self.key) else {
      self = .first
      return
    }
    var form = BinaryReader(bytes)
    guard try form.byte() == Self.version else { throw form.damage("an unknown form of history") }
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
