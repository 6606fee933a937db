import CloudRecords
import RecordStorage

/// Which contents the server has, and until when they are needed, in the transactions of those who
/// hold them.
///
/// The rule that keeps collecting from racing with uploads and saves: **the catalogue decides, and
/// each file has a name that no other file ever has.** Whoever saves a record with a file sees its
/// entry in the same transaction; whoever collects removes the entry in a transaction that sees
/// that nobody holds the file, nor may bring a receipt for it. The engine puts the two in an order:
/// if the save comes first, the file is held; if the collection does, the save is refused and the
/// client uploads again. A file is removed from the disk after the transaction that dooms it;
/// contents that come back meanwhile are another file with another name.
///
/// ```
///            register            a record holds it
///  no entry ──────────▶ needed ─────────────────────▶ held
///     ▲                   │ ▲                           │
///     │ collect: late,    │ └───────────────────────────┘ the last record lets go, or a receipt is given again
///     └── unheld ─────────┘
/// ```
///
/// Invariants:
///
/// 1. What a record holds has an entry.
/// 2. An entry whose `due` is set has its key in the queue at that time, and no other; one that
///    nobody holds has a `due` not later than `neededUntil`.
/// 3. A doomed name is in no entry.
enum AssetCatalogue {
  static func entry(of checksum: AssetChecksum, in transaction: any StorageReading) throws
    -> AssetEntry?
  {
    try transaction.value(of: AssetKeys.entry(checksum)).map { try AssetEntry(bytes: $0) }
  }

  static func set(
    _ entry: AssetEntry, of checksum: AssetChecksum, in transaction: any StorageWriting
  ) throws {
    try transaction.set(entry.bytes, for: AssetKeys.entry(checksum))
  }

  /// Whether a record holds the file.
  static func isHeld(_ checksum: AssetChecksum, in transaction: any StorageReading) throws -> Bool {
    try !transaction.entries(in: StorageRange(prefix: AssetKeys.holders(of: checksum)), limit: 1)
      .isEmpty
  }

  /// Takes contents in that lie in a file, for at least so long.
  ///
  /// - Returns: The name of the file that has them from now on: an earlier one where the same
  ///   contents were there already.
  static func register(
    _ checksum: AssetChecksum, size: Int64, fileName: String, until time: Timestamp,
    in transaction: any StorageWriting
  ) throws -> String {
    if try renew(checksum, until: time, in: transaction),
      let known = try entry(of: checksum, in: transaction)
    {
      return known.fileName
    }
    let entry = AssetEntry(size: size, fileName: fileName, neededUntil: time)
    try ask(after: checksum, entry, in: transaction)
    return fileName
  }

  /// Keeps contents for at least so long; false where they are not there.
  static func renew(
    _ checksum: AssetChecksum, until time: Timestamp, in transaction: any StorageWriting
  ) throws -> Bool {
    guard var entry = try entry(of: checksum, in: transaction) else { return false }
    guard entry.neededUntil < time || entry.due == nil else { return true }
    entry.neededUntil = max(entry.neededUntil, time)
    try ask(after: checksum, entry, in: transaction)
    return true
  }

  /// Stores an entry, and sees that it is looked at some time.
  private static func ask(
    after checksum: AssetChecksum, _ entry: AssetEntry, in transaction: any StorageWriting
  ) throws {
    var entry = entry
    if entry.due == nil {
      entry.due = entry.neededUntil
      try transaction.set([], for: AssetKeys.due(entry.neededUntil, checksum))
    }
    try set(entry, of: checksum, in: transaction)
  }

  /// Gives contents whose file is gone the file that came instead.
  ///
  /// - Returns: Whether the entry still had the file that is gone.
  static func replace(
    _ lost: String, by fileName: String, of checksum: AssetChecksum,
    in transaction: any StorageWriting
  ) throws -> Bool {
    guard var entry = try entry(of: checksum, in: transaction), entry.fileName == lost else {
      return false
    }
    entry.fileName = fileName
    try set(entry, of: checksum, in: transaction)
    try transaction.set([], for: AssetKeys.doomed(lost))
    return true
  }
}
