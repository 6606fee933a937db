import CloudRecords
import RecordStorage

/// The catalogue of asset files: which contents exist and until when they are needed.
///
/// Collection does not race with uploads and saves, because **the catalogue decides, and each file
/// has a unique name.** A save reads the file's entry in its own transaction. In another
/// transaction, a collection removes the entry if no record holds the file and no receipt for it is
/// valid. The engine orders both: either the file is held first, or the save is rejected and the
/// client uploads again. A *doomed* file has no entry, and is deleted after the transaction that
/// dooms it. If the same contents are uploaded again, they get another file.
///
/// ```
///            register            a record holds it
///  no entry ──────────▶ needed ─────────────────────▶ held
///     ▲                   │ ▲                           │
///     │ collect: due,     │ └───────────────────────────┘ released, or a new receipt
///     └── unheld ─────────┘
/// ```
///
/// Invariants:
///
/// 1. Each file that a record holds has an entry.
/// 2. An entry with a `due` time has exactly one key in the queue, at that time. An entry without a
///    holder has a `due` not later than `neededUntil`.
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

  /// Registers the contents of a file, and keeps them at least until the given time.
  ///
  /// - Returns: The name of the file with these contents: an earlier file's, or `fileName`.
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

  /// Keeps contents at least until the given time; returns false if they do not exist.
  static func renew(
    _ checksum: AssetChecksum, until time: Timestamp, in transaction: any StorageWriting
  ) throws -> Bool {
    guard var entry = try entry(of: checksum, in: transaction) else { return false }
    guard entry.neededUntil < time || entry.due == nil else { return true }
    entry.neededUntil = max(entry.neededUntil, time)
    try ask(after: checksum, entry, in: transaction)
    return true
  }

  /// Stores an entry, and schedules its next examination.
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

  /// Replaces a lost file by a new one with the same contents.
  ///
  /// - Returns: Whether the entry still referenced the lost file.
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
