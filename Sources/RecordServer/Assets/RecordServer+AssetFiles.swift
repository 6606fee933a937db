import BinaryCoding
package import CloudRecords
package import RecordStorage

/// What whoever keeps the files asks and tells the server.
extension RecordServer {
  /// Takes contents in that lie safely in a file, and keeps them as long as receipts for them are
  /// good.
  ///
  /// - Returns: The file that has the contents from now on, which is an earlier one where they were
  ///   there already; and until when receipts are good.
  package func registerAsset(
    _ checksum: AssetChecksum, size: Int64, fileName: String
  ) async throws(CloudError) -> (fileName: String, expires: Timestamp) {
    let expires = environment.now().adding(seconds: Int64(limits.assetReceiptSeconds))
    let kept = try await write(nil) { transaction in
      try AssetCatalogue.register(
        checksum, size: size, fileName: fileName, until: expires, in: transaction)
    }
    return (kept, expires)
  }

  /// Gives contents whose file was lost the file that came instead; false where they have another
  /// one by now.
  package func replaceAssetFile(
    _ lost: String, by fileName: String, of checksum: AssetChecksum
  ) async throws(CloudError) -> Bool {
    try await write(nil) { transaction in
      try AssetCatalogue.replace(lost, by: fileName, of: checksum, in: transaction)
    }
  }

  /// What the server knows of contents; nil where it does not have them.
  package func assetEntry(of checksum: AssetChecksum) async throws(CloudError) -> AssetEntry? {
    try await read(AssetKeys.partition(of: checksum)) { transaction in
      try AssetCatalogue.entry(of: checksum, in: transaction)
    }
  }

  /// A 256th of all contents, in the order of their checksums.
  package func assetEntries(
    shard: UInt8
  ) async throws(CloudError) -> [(checksum: AssetChecksum, entry: AssetEntry)] {
    try await read(AssetKeys.partition(shard: shard)) {
      try Self.assetEntries(shard: shard, in: $0)
    }
  }

  /// The same of a storage that has no server, as a backup.
  package static func assetEntries(
    shard: UInt8, in transaction: any StorageReading
  ) throws -> [(checksum: AssetChecksum, entry: AssetEntry)] {
    let range = AssetKeys.entries(shard: shard)
    return try transaction.entries(in: range).map { stored in
      var reader = StorageKeyReader(after: range.lower)
      guard let checksum = AssetChecksum(digest: try reader.bytes(in: stored.key.bytes.span)) else {
        throw BinaryCodingError(what: "a file's entry has a name that is no checksum", offset: 0)
      }
      return (checksum, try AssetEntry(bytes: stored.value))
    }
  }
}

// MARK: - Collection

extension RecordServer {
  /// Looks at contents that nobody may need any more, and dooms the files of those that nobody
  /// does.
  ///
  /// What was let go of stays as long as an address that was given before is good.
  ///
  /// - Returns: Whether there may be more to look at.
  package func collectAssets(atMost limit: Int) async throws(CloudError) -> Bool {
    let now = environment.now()
    let time = now.adding(seconds: -Int64(limits.assetAddressSeconds))
    return try await write(nil) { transaction in
      try AssetCatalogue.collect(neededUntil: time, now: now, limit: limit, in: transaction)
        == limit
    }
  }

  /// Files that may be removed: nothing names them any more, and nothing will.
  package func doomedAssetFiles(atMost limit: Int) async throws(CloudError) -> [String] {
    try await read(AssetKeys.partition) { try AssetCatalogue.doomed(limit: limit, in: $0) }
  }

  /// Forgets files that were removed.
  package func forgetDoomedAssetFiles(_ names: [String]) async throws(CloudError) {
    guard !names.isEmpty else { return }
    try await write(AssetKeys.partition) { transaction in
      for name in names { try transaction.remove(AssetKeys.doomed(name)) }
    }
  }

  /// Lets no file be doomed for so long, or until the pin is taken away: for who copies files.
  ///
  /// It holds for every process that uses the storage.
  package func pinAssets(_ identifier: String, seconds: Int64) async throws(CloudError) {
    let end = environment.now().adding(seconds: seconds)
    try await write(AssetKeys.partition) { try AssetCatalogue.pin(identifier, until: end, in: $0) }
  }

  /// Takes a pin away.
  package func unpinAssets(_ identifier: String) async throws(CloudError) {
    try await write(AssetKeys.partition) { try $0.remove(AssetKeys.pin(identifier)) }
  }
}
