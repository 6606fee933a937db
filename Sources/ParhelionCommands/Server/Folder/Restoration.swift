import AssetStorage
import RecordServer
import RecordServerHTTP
import SQLiteRecordStorage

/// Restores a server's folder from a backup.
///
/// ```
/// check the store and the sizes of its files ─▶ copy files ─▶ check copies ─▶ replace the store
/// └─────────── nothing is changed ─────────┘    └─ extra files are harmless ─┘
/// ```
struct Restoration {
  let copy: BackupFolder
  let folder: ServerFolder
  /// Whether existing data is replaced.
  let isReplacing: Bool
  /// Whether a backup with missing files is accepted.
  let acceptsLoss: Bool

  /// Restores the folder from the backup.
  ///
  /// - Returns: The lost files; empty unless a loss is accepted.
  func run() async throws -> [AssetIssue] {
    guard isReplacing || !folder.hasStore else {
      throw CommandError(
        "\(folder.path) already has a store. Name another folder, or use --replace.")
    }
    try refuse(try await lostFiles(in: copy.files), "Nothing was restored.")
    try folder.create()
    let files = try await AssetStore.restore(from: copy.files, into: folder.files)
    let lost = try await lostFiles(in: folder.files, uncopied: files.issues)
    try refuse(
      lost, "Files may have been copied into \(folder.files), but the store was not restored.")
    try await restoreStore()
    return lost
  }

  /// The files that the backup's store names and that a folder lacks.
  ///
  /// Files that the store does not name are ignored: the folder may have files of other backups.
  ///
  /// - Parameter uncopied: The files that could not be copied into the folder.
  private func lostFiles(
    in path: String, uncopied: [AssetIssue] = []
  ) async throws -> [AssetIssue] {
    try await SQLiteStorageEngine.readBackup(copy.store) { transaction in
      try (UInt8.min...UInt8.max).flatMap { shard -> [AssetIssue] in
        let entries = try RecordServer.assetEntries(shard: shard, in: transaction).map(\.entry)
        let names = Set(entries.map(\.fileName))
        let lost = uncopied.filter { names.contains($0.file) }
        let missing = try AssetStore.missingFiles(in: path, of: entries)
        return lost + missing.filter { issue in !lost.contains { $0.file == issue.file } }
      }
    }
  }

  /// Fails if files are lost, unless a loss is accepted.
  ///
  /// - Parameter state: The sentence of the error about what was restored.
  private func refuse(_ issues: [AssetIssue], _ state: String) throws(CommandError) {
    guard let first = issues.first, !acceptsLoss else { return }
    let more = issues.count > 1 ? " Further such issues: \(issues.count - 1)." : ""
    throw CommandError(
      """
      \(copy.path) is not complete: \(first.finding)\(more) \(state) Name another backup, or use \
      --accept-lost-files.
      """)
  }

  /// Replaces the folder's store by the backup's, and starts a new history for it.
  private func restoreStore() async throws {
    let engine = try await SQLiteStorageEngine.restore(
      from: copy.store, into: folder.path, isReplacing: isReplacing)
    // If this fails, the next server that opens the folder finishes the restoration.
    do { try await CloudServer.finishRestoration(of: engine) } catch {
      await engine.close()
      throw error
    }
    await engine.close()
  }
}

extension AssetIssue {
  /// The file of the issue.
  fileprivate var file: String {
    switch self {
    case .missing(let name), .damaged(let name), .orphaned(let name), .wrongSize(let name, _, _):
      name
    case .foreign(let path): path
    }
  }
}
