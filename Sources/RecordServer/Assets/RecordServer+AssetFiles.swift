import BinaryCoding
package import CloudRecords
package import RecordStorage

/// The catalogue operations that the asset store uses.
extension RecordServer {
  /// Registers the contents of a durable file, and keeps them while receipts for them are valid.
  ///
  /// - Returns: The name of the file with the contents, which may be an earlier file, and the
  ///   expiry of receipts.
  package func registerAsset(
    _ checksum: AssetChecksum, size: Int64, fileName: String
  ) async throws(CloudError) -> (fileName: String, expires: Timestamp) {
    let expires = dependencies.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    let kept = try await write(nil) { transaction in
      try AssetCatalogue.register(
        checksum, size: size, fileName: fileName, until: expires, in: transaction)
    }
    return (kept, expires)
  }

  /// Replaces a lost file by a new one; returns false if the catalogue no longer references it.
  package func replaceAssetFile(
    _ lost: String, by fileName: String, of checksum: AssetChecksum
  ) async throws(CloudError) -> Bool {
    try await write(nil) { transaction in
      try AssetCatalogue.replace(lost, by: fileName, of: checksum, in: transaction)
    }
  }

  /// The catalogue's entry of contents; nil if the server does not have them.
  package func assetEntry(of checksum: AssetChecksum) async throws(CloudError) -> AssetEntry? {
    try await read(AssetKeys.partition(of: checksum)) { transaction in
      try AssetCatalogue.entry(of: checksum, in: transaction)
    }
  }

  /// The entries of one of 256 shards, ordered by checksum.
  package func assetEntries(
    shard: UInt8
  ) async throws(CloudError) -> [(checksum: AssetChecksum, entry: AssetEntry)] {
    try await read(AssetKeys.partition(shard: shard)) {
      try Self.assetEntries(shard: shard, in: $0)
    }
  }

  /// The entries of a shard in a storage without a server, such as a backup.
  package static func assetEntries(
    shard: UInt8, in transaction: any StorageReading
  ) throws -> [(checksum: AssetChecksum, entry: AssetEntry)] {
    let range = AssetKeys.entries(shard: shard)
    return try transaction.entries(in: range).map { stored in
      var reader = StorageKeyReader(after: range.lower)
      guard let checksum = AssetChecksum(digest: try reader.bytes(in: stored.key.bytes.span)) else {
        throw BinaryCodingError(reason: "a file's entry has a name that is no checksum", offset: 0)
      }
      return (checksum, try AssetEntry(bytes: stored.value))
    }
  }
}

// MARK: - Collection

extension RecordServer {
  /// Examines contents that may not be needed, and dooms the files of those that are not.
  ///
  /// Released contents stay for as long as previously issued addresses are valid.
  ///
  /// - Returns: Whether there may be more to examine.
  package func collectAssets(atMost limit: Int) async throws(CloudError) -> Bool {
    let now = dependencies.now()
    let time = now.adding(seconds: -Int64(limits.assetAddressSeconds))
    return try await write(nil) { transaction in
      try AssetCatalogue.collect(neededUntil: time, now: now, limit: limit, in: transaction)
        == limit
    }
  }

  /// Files that may be removed: nothing references them, and nothing will.
  package func doomedAssetFiles(atMost limit: Int) async throws(CloudError) -> [String] {
    try await read(AssetKeys.partition) { try AssetCatalogue.doomed(limit: limit, in: $0) }
  }

  /// Removes deleted files from the list of doomed ones.
  package func forgetDoomedAssetFiles(_ names: [String]) async throws(CloudError) {
    guard !names.isEmpty else { return }
    try await write(AssetKeys.partition) { transaction in
      for name in names { try transaction.remove(AssetKeys.doomed(name)) }
    }
  }

  /// Adds a pin, which prevents files from being doomed during a backup.
  ///
  /// The pin ends after the given time, or when it is removed. It applies to every process that
  /// uses the storage.
  package func pinAssets(_ identifier: String, seconds: Int64) async throws(CloudError) {
    let end = dependencies.now().adding(seconds: seconds)
    try await write(AssetKeys.partition) { try AssetCatalogue.pin(identifier, until: end, in: $0) }
  }

  /// Removes a pin.
  package func unpinAssets(_ identifier: String) async throws(CloudError) {
    try await write(AssetKeys.partition) { try $0.remove(AssetKeys.pin(identifier)) }
  }
}
