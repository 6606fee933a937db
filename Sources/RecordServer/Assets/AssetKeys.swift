import CloudRecords
import RecordStorage

/// The storage keys of the asset catalogue.
///
/// The first byte of a file's checksum selects one of 256 partitions. A distributed engine can thus
/// spread the files evenly, and a check can still visit all of them.
enum AssetKeys {
  /// The partition of the keys for collection, and of the secret.
  static let partition = "_assets"

  /// The partition of one file.
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

  /// The prefix of the keys of a file's holders.
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

  /// The files that are due at or before a time.
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
