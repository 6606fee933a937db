internal import CloudRecords
internal import RecordServer

/// What a copy of the files came to.
package struct AssetBackup: Hashable, Sendable {
  /// Files that were copied.
  package var copied = 0
  /// Files that the folder of the backup had already.
  package var kept = 0
  /// Files of earlier backups that the folder does not need any more, and lost.
  package var removed = 0
  /// What could not be copied, since it is missing or damaged.
  package var problems: [AssetIssue] = []

  mutating func count(_ copy: AssetCopy) {
    switch copy {
    case .copied: copied += 1
    case .kept: kept += 1
    case .problem(let problem): problems.append(problem)
    }
  }
}

extension AssetStore {
  /// Copies the files beside a copy of the database, while the server runs.
  ///
  /// Nothing is collected from before `copyDatabase` until all files are copied, in whichever
  /// process: so each file that the database's copy names is there. Files that came later are
  /// copied too, and removed by the server that opens the restored folder. A folder that has a
  /// backup already gets what it lacks, and anew what has gone bad in it: each backup looks into
  /// some of the files that are there, by the day, so that daily ones look into all within a month
  /// or so.
  ///
  /// Of two that go on in one folder at the same time, the second is refused.
  ///
  /// - Parameters:
  ///   - target: The folder for the files. It has the form of a store's.
  ///   - isPruning: Whether files go that only earlier backups in the folder name, once everything
  ///     is copied and sound.
  ///   - isThorough: Whether all files that are there are looked into.
  ///   - copyDatabase: Copies the database.
  package func backUp(
    to target: String, isPruning: Bool = false, isThorough: Bool = false,
    _ copyDatabase: () async throws -> Void
  ) async throws -> AssetBackup {
    let lock = try await workers.take().perform { () throws(AssetStorageError) in
      try AssetFolder(path: target).createForBackup()
    }
    defer { withExtendedLifetime(lock) {} }
    let pin = "backup-" + server.environment.makeName()
    try await server.pinAssets(pin, seconds: Limits.pinSeconds)
    do {
      try await copyDatabase()
      var backup = try await copyFiles(to: AssetFolder(path: target), pin, isThorough: isThorough)
      if isPruning, backup.problems.isEmpty {
        backup.removed = try await prune(AssetFolder(path: target))
      }
      try await server.unpinAssets(pin)
      return backup
    } catch {
      // A pin that stays ends with its time.
      try? await server.unpinAssets(pin)
      throw error
    }
  }

  /// Copies what the catalogue names now: as nothing is collected, that is all that the database's
  /// copy names, and what came since.
  private func copyFiles(to target: AssetFolder, _ pin: String, isThorough: Bool) async throws
    -> AssetBackup
  {
    let (folder, worker) = (folder, workers.take())
    let day = server.environment.now().milliseconds / 86_400_000
    try await worker.perform { () throws(AssetStorageError) in try target.setUnsorted(true) }
    var backup = AssetBackup()
    for shard in UInt8.min...UInt8.max {
      let isLooking =
        isThorough || Int64(shard) % Limits.daysOfLooking == day % Limits.daysOfLooking
      for (_, entry) in try await server.assetEntries(shard: shard) {
        try Task.checkCancellation()
        let name = try Self.name(in: entry)
        backup.count(
          try await worker.perform { () throws(AssetStorageError) in
            try folder.copy(name, to: target, isLooking: isLooking)
          })
        guard (backup.copied + backup.kept).isMultiple(of: Limits.filesPerPin) else { continue }
        try await server.pinAssets(pin, seconds: Limits.pinSeconds)
      }
    }
    return backup
  }

  /// Removes what the catalogue does not name from a folder of backups: nothing was collected since
  /// its database was copied.
  private func prune(_ target: AssetFolder) async throws -> Int {
    let worker = workers.take()
    var removed = 0
    for shard in UInt8.min...UInt8.max {
      let needed = Set(
        try await server.assetEntries(shard: shard).map { _, entry in try Self.name(in: entry) })
      removed += try await worker.perform { () throws(AssetStorageError) in
        try target.removeAll(but: needed, inShard: shard)
      }
    }
    return removed
  }

  /// Puts the files of a backup into a folder, which no server may use meanwhile.
  ///
  /// Do this before the database is restored: until then the folder has more than the former
  /// database names, and afterwards all that the restored one does. The server that opens the
  /// folder next removes what its database does not name.
  package static func restore(from backup: String, into path: String) async throws -> AssetBackup {
    let worker = DiskWorkers(count: 1).take()
    let (source, target) = (AssetFolder(path: backup), AssetFolder(path: path))
    return try await worker.perform { () throws(AssetStorageError) in
      try target.create()
      let lock = try AssetFolderLock(of: target)
      defer { withExtendedLifetime(lock) {} }
      try target.setUnsorted(true)
      var report = AssetBackup()
      for shard in UInt8.min...UInt8.max {
        for name in try source.names(inShard: shard).files {
          // What a folder had before may be why it is restored.
          report.count(try source.copy(name, to: target, isLooking: true))
        }
      }
      return report
    }
  }
}

/// How a file was copied.
enum AssetCopy: Hashable, Sendable {
  case copied
  /// It was there already: a name means contents for ever.
  case kept
  case problem(AssetIssue)
}

extension AssetFolder {
  /// Makes the folder of a backup, and takes it for who makes the backup.
  fileprivate func createForBackup() throws(AssetStorageError) -> AssetFolderLock {
    try create()
    return try AssetFolderLock(
      of: self,
      orElse: "another backup goes on in the folder; wait for its end, or name another folder")
  }

  /// Whether a file is there with the contents that its name promises, and can be read.
  private func isSound(_ name: AssetFileName) -> Bool {
    do {
      guard let file = try openFile(name) else { return false }
      return try file.checksum() == name.checksum
    } catch {
      return false
    }
  }

  /// Copies a file into another folder, and sees on the way whether its contents are sound.
  ///
  /// - Parameter isLooking: Whether a file that is there and as long as it should be is looked
  ///   into, and kept only where it is sound.
  func copy(
    _ name: AssetFileName, to target: AssetFolder, isLooking: Bool
  ) throws(AssetStorageError) -> AssetCopy {
    if let there = target.size(of: name), there == size(of: name),
      !isLooking || target.isSound(name)
    {
      return .kept
    }
    guard let file = try openFile(name) else { return .problem(.missing(name.text)) }
    let copy = try PartialFile(in: target, number: name.number, limit: .max, reservedBytes: 0)
    try file.read { (bytes) throws(AssetStorageError) in try copy.append([bytes]) }
    let made = try copy.prepare()
    guard made == name else {
      try target.remove(made)
      return .problem(.damaged(name.text))
    }
    try target.place(made)
    return .copied
  }
}
