import AssetStorage
import RecordServer
import RecordServerHTTP
import SQLiteRecordStorage

/// Makes a server's folder what a backup is.
///
/// ```
/// look at the store, and at the size of each file that it names ─▶ copy the files ─▶ look at the copies ─▶ the store takes its place
/// └────────────── nothing is changed ──────────────┘                 └─── files too many do no harm ───┘
/// ```
struct Restoration {
  let copy: BackupFolder
  let folder: ServerFolder
  /// Whether what the folder has is replaced.
  let isReplacing: Bool
  /// Whether a backup is taken that has not all of its files.
  let acceptsLoss: Bool

  /// - Returns: What is wrong with files; nothing, unless a loss is accepted.
  func run() async throws -> [AssetIssue] {
    guard isReplacing || !folder.hasStore else {
      throw CommandError(
        "\(folder.path) has a store already. Name another folder, or use --replace.")
    }
    try refuse(try await missingFiles(in: copy.files))
    try folder.create()
    let files = try await AssetStore.restore(from: copy.files, into: folder.files)
    // What was copied is whole: contents that do not fit their names are not.
    let missing = try await missingFiles(in: folder.files)
    try refuse(
      missing.map { problem in files.problems.first { $0.file == problem.file } ?? problem })
    try await restoreStore()
    return files.problems
      + missing.filter { problem in !files.problems.contains { $0.file == problem.file } }
  }

  /// The files that the backup's store names and that a folder has not.
  private func missingFiles(in path: String) async throws -> [AssetIssue] {
    try await SQLiteStorageEngine.readBackup(copy.store) { transaction in
      try (UInt8.min...UInt8.max).flatMap { shard in
        let entries = try RecordServer.assetEntries(shard: shard, in: transaction).map(\.entry)
        return try AssetStore.missingFiles(in: path, of: entries)
      }
    }
  }

  private func refuse(_ problems: [AssetIssue]) throws(CommandError) {
    guard let first = problems.first, !acceptsLoss else { return }
    let more = problems.count > 1 ? " So it is with \(problems.count - 1) more." : ""
    throw CommandError(
      "\(copy.path) is not whole: \(first.finding)\(more) Nothing was restored. Name another backup, or use --accept-lost-files."
    )
  }

  /// Puts the backup's store into the place of the folder's, and begins a history of its own with
  /// it.
  private func restoreStore() async throws {
    let engine = try await SQLiteStorageEngine.restore(
      from: copy.store, into: folder.path, isReplacing: isReplacing)
    // Where this fails, the next server begins it.
    do { try await CloudServer.finishRestoration(of: engine) } catch {
      await engine.close()
      throw error
    }
    await engine.close()
  }
}

extension AssetIssue {
  /// The file that it is about.
  fileprivate var file: String {
    switch self {
    case .missing(let name), .damaged(let name), .orphaned(let name), .wrongSize(let name, _, _):
      name
    case .foreign(let path): path
    }
  }
}
