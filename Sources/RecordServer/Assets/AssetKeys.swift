import CloudRecords
import RecordStorage

/// The keys of what the server knows of files.
///
/// What is known of one file lies in a partition that the first byte of its checksum chooses: so a
/// distributed engine spreads files evenly, and whoever checks the store can still visit all of
/// them.
enum AssetKeys {
  /// What concerns all files.
  static let partition = "_assets"

  /// The partition of a file.
  static func partition(of checksum: AssetChecksum) -> String {
    partition(shard: checksum.digest[0])
  }

  /// One of the 256 partitions of files.
  static func partition(shard: UInt8) -> String { "_assets:" + Hexadecimal.text([shard]) }

  // MARK: Files

  static func entry(_ checksum: AssetChecksum) -> StorageKey {
    var key = StorageKey(partition: partition(of: checksum), keyspace: Keyspace.assetEntry.rawValue)
    key.append(bytes: checksum.digest)
    return key
  }

  static func entries(shard: UInt8) -> StorageRange {
    StorageRange(
      prefix: StorageKey(partition: partition(shard: shard), keyspace: Keyspace.assetEntry.rawValue)
    )
  }

  /// The beginning of the keys of who holds a file.
  static func holders(of checksum: AssetChecksum) -> StorageKey {
    var key = StorageKey(
      partition: partition(of: checksum), keyspace: Keyspace.assetHolder.rawValue)
    key.append(bytes: checksum.digest)
    return key
  }

  // MARK: Collection

  private static func prefix(_ keyspace: Keyspace) -> StorageKey {
    StorageKey(partition: partition, keyspace: keyspace.rawValue)
  }

  static func due(_ time: Timestamp, _ checksum: AssetChecksum) -> StorageKey {
    var key = prefix(.assetDue)
    key.append(signed: time.milliseconds)
    key.append(bytes: checksum.digest)
    return key
  }

  static var due: StorageRange { StorageRange(prefix: prefix(.assetDue)) }

  /// What is due at a time or was before.
  static func due(until time: Timestamp) -> StorageRange {
    var end = prefix(.assetDue)
    end.append(signed: time.milliseconds + 1)
    return StorageRange(from: due.lower, to: end)
  }

  static func doomed(_ fileName: String) -> StorageKey {
    var key = prefix(.assetDoomed)
    key.append(text: fileName)
    return key
  }

  static var doomed: StorageRange { StorageRange(prefix: prefix(.assetDoomed)) }

  static func pin(_ identifier: String) -> StorageKey {
    var key = prefix(.assetPin)
    key.append(text: identifier)
    return key
  }

  static var pins: StorageRange { StorageRange(prefix: prefix(.assetPin)) }

  // MARK: Tickets

  static var secret: StorageKey { prefix(.assetSecret) }
}
