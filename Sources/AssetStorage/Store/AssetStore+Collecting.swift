internal import RecordServer

/// Removes doomed files, and files that an earlier process left.
extension AssetStore {
  /// Dooms the files that are no longer needed, and removes all doomed files.
  ///
  /// A doomed file no longer has an entry in the catalogue. A collection may run concurrently with
  /// uploads, saves and other collections.
  ///
  /// - Returns: The number of removed files.
  @discardableResult
  package func collect() async throws -> Int {
    while try await server.collectAssets(atMost: Limits.collectedAtOnce) {
      try Task.checkCancellation()
    }
    return try await removeDoomed()
  }

  /// Removes all doomed files, including those that an earlier process doomed.
  private func removeDoomed() async throws -> Int {
    var count = 0
    while true {
      let names = try await server.doomedAssetFiles(atMost: Limits.collectedAtOnce)
      guard !names.isEmpty else { return count }
      let folder = folder
      try await workers.take().perform { () throws(AssetStorageError) in
        for case let name? in names.map(AssetFileName.init) { try folder.remove(name) }
      }
      try await server.forgetDoomedAssetFiles(names)
      count += names.count
    }
  }

  // MARK: - After a start

  /// Places or removes the files that an earlier owner of the folder left.
  func recover() async throws {
    let folder = folder
    let whole = try await workers.take().perform { () throws(AssetStorageError) in
      try folder.sweepIncoming()
    }
    for name in whole { try await sort(name) }
    _ = try await removeDoomed()
    guard folder.isUnsorted else { return }
    for name in try await orphans() { try await remove(name) }
    try await workers.take().perform { () throws(AssetStorageError) in try folder.setUnsorted(false)
    }
  }

  /// Places a complete file if the catalogue references it, and removes it otherwise.
  private func sort(_ name: AssetFileName) async throws {
    let isNamed = try await server.assetEntry(of: name.checksum)?.fileName == name.text
    let folder = folder
    try await workers.take().perform { () throws(AssetStorageError) in
      if isNamed { try folder.place(name) } else { try folder.remove(name) }
    }
  }

  private func remove(_ name: AssetFileName) async throws {
    let folder = folder
    try await workers.take().perform { () throws(AssetStorageError) in try folder.remove(name) }
  }

  /// Returns the files in `contents` that the catalogue does not reference.
  func orphans() async throws -> [AssetFileName] {
    var orphans: [AssetFileName] = []
    for shard in UInt8.min...UInt8.max {
      let folder = folder
      // The files are listed before the entries. Each file in `contents` was referenced before it
      // was placed, so a new file cannot look like an orphan.
      let files = try await workers.take().perform { () throws(AssetStorageError) in
        try folder.names(inShard: shard).files
      }
      guard !files.isEmpty else { continue }
      let named = Set(try await server.assetEntries(shard: shard).map(\.entry.fileName))
      orphans += files.filter { !named.contains($0.text) }
    }
    return orphans
  }
}
