internal import CloudRecords
internal import Dispatch
internal import RecordServer

/// The result of a backup of asset files.
package struct AssetBackup: Hashable, Sendable {
  /// The number of files that were copied.
  package var copied = 0
  /// The number of files that the backup already had.
  package var kept = 0
  /// The number of unneeded files of earlier backups that were removed.
  package var removed = 0
  /// The files that could not be copied because they are missing or damaged.
  package var issues: [AssetIssue] = []

  mutating func count(_ copy: AssetCopy) {
    switch copy {
    case .copied: copied += 1
    case .kept: kept += 1
    case .issue(let issue): issues.append(issue)
    }
  }
}

extension AssetStore {
  /// Copies the asset files together with the database, while the server runs.
  ///
  /// From before `copyDatabase` until all files are copied, a pin prevents every process from
  /// collecting files. So every file that the copied database references exists. Newer files are
  /// copied too; the server that opens the restored folder removes them.
  ///
  /// In an existing backup, only missing and damaged files are copied. Each backup verifies a part
  /// of the existing files, so that daily backups verify all within a month.
  ///
  /// A second concurrent backup into the same folder throws.
  ///
  /// - Parameters:
  ///   - target: The folder for the files, in the layout of a store.
  ///   - isPruning: Whether files that only earlier backups reference are removed, once everything
  ///     is copied and sound.
  ///   - isThorough: Whether all existing files are verified.
  ///   - copyDatabase: Copies the database.
  package func backUp(
    to target: String, isPruning: Bool = false, isThorough: Bool = false,
    _ copyDatabase: () async throws -> Void
  ) async throws -> AssetBackup {
    let lock = try await workers.take().perform { () throws(AssetStorageError) in
      try AssetFolder(path: target).createForBackup()
    }
    defer { withExtendedLifetime(lock) {} }
    let pin = "backup-" + server.dependencies.makeName()
    try await server.pinAssets(pin, seconds: Limits.pinSeconds)
    let renewal = Task { try await self.renew(pin) }
    do {
      try await copyDatabase()
      var backup = try await copyFiles(to: AssetFolder(path: target), isThorough: isThorough)
      if isPruning, backup.issues.isEmpty {
        backup.removed = try await prune(AssetFolder(path: target))
      }
      renewal.cancel()
      try await renewal.value
      try await server.unpinAssets(pin)
      return backup
    } catch {
      renewal.cancel()
      _ = await renewal.result
      // If this fails, the pin stays until it expires.
      try? await server.unpinAssets(pin)
      throw error
    }
  }

  /// Renews a pin until the task is cancelled.
  ///
  /// The task runs beside the copying, so a large file or database cannot let the pin expire.
  private func renew(_ pin: String) async throws {
    var misses: Int64 = 0
    while !Task.isCancelled {
      do {
        try await options.pause(.seconds(Limits.renewalSeconds))
        try await server.pinAssets(pin, seconds: Limits.pinSeconds)
        misses = 0
      } catch {
        misses += 1
        // With fewer misses, the pin of the last successful renewal is still valid.
        guard Task.isCancelled || misses < Limits.pinSeconds / Limits.renewalSeconds - 1 else {
          throw error
        }
      }
    }
  }

  /// Returns when a timer fires, or throws at once if the task is cancelled.
  static func wait(_ duration: Duration) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue.global().asyncAfter(deadline: .now() + duration / .seconds(1)) {
      continuation.finish()
    }
    for await _ in stream {}
    try Task.checkCancellation()
  }

  /// Copies the files that the catalogue references now.
  ///
  /// Nothing is collected meanwhile, so these include all files that the copied database
  /// references.
  private func copyFiles(to target: AssetFolder, isThorough: Bool) async throws -> AssetBackup {
    let (folder, worker) = (folder, workers.take())
    let day = server.dependencies.now().milliseconds / 86_400_000
    var backup = AssetBackup()
    for shard in UInt8.min...UInt8.max {
      let verifiesContents =
        isThorough || Int64(shard) % Limits.verificationDays == day % Limits.verificationDays
      for (_, entry) in try await server.assetEntries(shard: shard) {
        try Task.checkCancellation()
        let name = try Self.name(in: entry)
        backup.count(
          try await worker.perform { () throws(AssetStorageError) in
            try folder.copy(name, to: target, verifiesContents: verifiesContents)
          })
      }
    }
    return backup
  }

  /// Removes the files of a backup that the catalogue does not reference.
  ///
  /// The pin has prevented collections since the database was copied, so the catalogue references
  /// all files that the copied database references.
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

  /// Copies the files of a backup into a folder that no server uses.
  ///
  /// Call this before the database is restored, so that the restored database never references a
  /// file that was not copied yet. The next server that opens the folder removes the unreferenced
  /// files.
  package static func restore(from backup: String, into path: String) async throws -> AssetBackup {
    let worker = DiskWorkers(count: 1).take()
    let (source, target) = (AssetFolder(path: backup), AssetFolder(path: path))
    return try await worker.perform { () throws(AssetStorageError) in
      try target.create()
      let lock = try AssetFolderLock(of: target)
      defer { withExtendedLifetime(lock) {} }
      try target.completeInterruptedCopies()
      var report = AssetBackup()
      // An interrupted backup may have left complete files in `incoming`.
      for name in try source.namesInIncoming() {
        report.count(try source.copy(name, to: target, verifiesContents: true))
      }
      for shard in UInt8.min...UInt8.max {
        for name in try source.names(inShard: shard).files {
          // Damaged files in the target may be the reason for the restore.
          report.count(try source.copy(name, to: target, verifiesContents: true))
        }
      }
      return report
    }
  }
}

/// The result of copying a file.
enum AssetCopy: Hashable, Sendable {
  case copied
  /// The file existed already. The contents of a name never change.
  case kept
  case issue(AssetIssue)
}

extension AssetFolder {
  /// Creates the folder of a backup, and locks it.
  fileprivate func createForBackup() throws(AssetStorageError) -> AssetFolderLock {
    try create()
    let lock = try AssetFolderLock(
      of: self,
      orElse: "another backup is writing to the folder; wait until it ends, or name another folder")
    try completeInterruptedCopies()
    return lock
  }

  /// Removes incomplete files of an interrupted backup or restore, and places complete ones.
  ///
  /// The caller has locked the folder, and will copy files into it.
  fileprivate func completeInterruptedCopies() throws(AssetStorageError) {
    try setUnsorted(true)
    for name in try sweepIncoming() { try place(name) }
  }

  /// Whether the file exists, can be read, and matches the checksum in its name.
  private func isSound(_ name: AssetFileName) -> Bool {
    do {
      guard let file = try openFile(name) else { return false }
      return try file.checksum() == name.checksum
    } catch {
      return false
    }
  }

  /// Copies a file into another folder, and verifies its contents on the way.
  ///
  /// - Parameter verifiesContents: Whether an existing file of the right size is verified, and kept
  ///   only if it is sound.
  func copy(
    _ name: AssetFileName, to target: AssetFolder, verifiesContents: Bool
  ) throws(AssetStorageError) -> AssetCopy {
    if let there = target.size(of: name), there == size(of: name),
      !verifiesContents || target.isSound(name)
    {
      return .kept
    }
    guard let file = try openFile(name) else { return .issue(.missing(name.text)) }
    let copy = try PartialFile(in: target, number: name.number, limit: .max, reservedBytes: 0)
    try file.read { (bytes) throws(AssetStorageError) in try copy.append([bytes]) }
    let created = try copy.prepare()
    guard created == name else {
      try target.remove(created)
      return .issue(.damaged(name.text))
    }
    try target.place(created)
    return .copied
  }
}
