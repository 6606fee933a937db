import BinaryCoding
import CloudRecords
import RecordStorage

extension AssetCatalogue {
  /// Examines files that are due, and dooms those that are not needed.
  ///
  /// - Parameter time: Files last needed at or before this time may be doomed.
  /// - Returns: The number of examined files: fewer than the limit if no more are due, and none
  ///   while a backup holds a pin.
  static func collect(
    neededUntil time: Timestamp, now: Timestamp, limit: Int, in transaction: any StorageWriting
  ) throws -> Int {
    guard try !isPinned(at: now, in: transaction) else { return 0 }
    let range = AssetKeys.due
    let due = try transaction.entries(in: AssetKeys.due(until: time), limit: limit)
    for key in due.map(\.key) {
      try transaction.remove(key)
      var reader = StorageKeyReader(after: range.lower)
      _ = try reader.signed(in: key.bytes.span)
      guard let checksum = AssetChecksum(digest: try reader.bytes(in: key.bytes.span)) else {
        throw BinaryCodingError(
          reason: "the queue of files has a name that is no checksum", offset: 0)
      }
      try examine(checksum, neededUntil: time, in: transaction)
    }
    return due.count
  }

  private static func examine(
    _ checksum: AssetChecksum, neededUntil time: Timestamp, in transaction: any StorageWriting
  ) throws {
    guard var entry = try entry(of: checksum, in: transaction) else { return }
    if try isHeld(checksum, in: transaction) {
      entry.due = nil
    } else if entry.neededUntil > time {
      entry.due = entry.neededUntil
      try transaction.set([], for: AssetKeys.due(entry.neededUntil, checksum))
    } else {
      try transaction.remove(AssetKeys.entry(checksum))
      return try transaction.set([], for: AssetKeys.doomed(entry.fileName))
    }
    try set(entry, of: checksum, in: transaction)
  }

  /// The names of doomed files, which may be removed at any time.
  static func doomed(limit: Int, in transaction: any StorageReading) throws -> [String] {
    var names: [String] = []
    let range = AssetKeys.doomed
    try transaction.visitEntries(in: range, order: .ascending, limit: limit) { key, _ in
      var reader = StorageKeyReader(after: range.lower)
      names.append(try reader.text(in: key))
      return .proceed
    }
    return names
  }

  // MARK: - Pins

  /// Prevents files from being doomed until the given time or the removal of the pin.
  static func pin(_ identifier: String, until time: Timestamp, in transaction: any StorageWriting)
    throws
  {
    var form = BinaryWriter(capacity: 10)
    form.signed(time.milliseconds)
    try transaction.set(form.bytes, for: AssetKeys.pin(identifier))
  }

  /// Whether a backup holds a pin; removes expired pins.
  private static func isPinned(at now: Timestamp, in transaction: any StorageWriting) throws -> Bool
  {
    var isPinned = false
    for entry in try transaction.entries(in: AssetKeys.pins) {
      var form = BinaryReader(entry.value)
      if try form.signed() > now.milliseconds {
        isPinned = true
      } else {
        try transaction.remove(entry.key)
      }
    }
    return isPinned
  }
}
