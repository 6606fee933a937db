import AssetStorage
import CloudRecords
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import SQLiteRecordStorage

/// Backs up and checks all data in a server's folder, inside the server or from another process.
struct FolderMaintenance: ServerMaintenance {
  let folder: ServerFolder
  let engine: SQLiteStorageEngine
  /// The folder of named backups; nil if the operator permits none.
  var backups: String?
  /// The keys of encrypted values, if the operator keeps them outside the store.
  var sealing = ValueSealer.Source()

  /// Backs everything up into a folder.
  func backUp(to path: String, isPruning: Bool, isThorough: Bool) async throws -> BackupReport {
    let copy = BackupFolder(path: path)
    try copy.create()
    let report = try await withFiles { files in
      try await files.backUp(to: copy.files, isPruning: isPruning, isThorough: isThorough) {
        try await engine.backUp(to: copy.store)
      }
    }
    return BackupReport(
      path: path, fileCount: report.copied + report.kept, removedCount: report.removed,
      issues: report.issues.map(\.description))
  }

  /// Finds the issues of the store, the files and the encrypted values.
  func findIssues(isThorough: Bool) async throws -> [String] {
    let issues = try await engine.issues(isThorough: isThorough)
    // A corrupt store's list of files is not reliable.
    guard issues.isEmpty else {
      let store = "\(folder.path)/\(ServerFolder.storeName)"
      return ["The store \(store) is damaged. Keep a copy of it, and restore the last backup."]
        + issues
    }
    let ofValues = try await CloudServer.sealingIssues(
      on: engine, sealing, isThorough: isThorough)
    return try await withFiles { try await $0.issues(isThorough: isThorough).map(\.description) }
      + ofValues
  }

  private func withFiles<Result>(_ body: (AssetStore) async throws -> Result) async throws -> Result
  {
    let files = try await CloudServer.files(folder.files, on: engine)
    defer { files.close() }
    return try await body(files)
  }
}

// MARK: - For administrators

extension FolderMaintenance {
  func backUp(
    named name: String, isPruning: Bool, isThorough: Bool
  ) async throws(CloudError) -> BackupReport {
    guard let backups else {
      throw CloudError(
        .badRequest,
        "The server has no folder for backups. Start it with --backups DIR, or use “parhelion backup”."
      )
    }
    guard Self.isFolderName(name) else {
      throw CloudError(
        .badRequest,
        "A backup's name has at most 100 letters, digits, dots, dashes and underscores, and does not begin with a dot."
      )
    }
    return try await Self.translatingErrors {
      try await backUp(to: "\(backups)/\(name)", isPruning: isPruning, isThorough: isThorough)
    }
  }

  func issues(isThorough: Bool) async throws(CloudError) -> [String] {
    try await Self.translatingErrors { try await findIssues(isThorough: isThorough) }
  }

  /// Whether a name is that of a single folder, and not a path.
  private static func isFolderName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]*/) != nil
  }

  /// Runs `body`, and turns errors into those that administrators see.
  private static func translatingErrors<Result>(
    _ body: () async throws -> Result
  ) async throws(CloudError) -> Result {
    do {
      return try await body()
    } catch let error as CloudError {
      throw error
    } catch let error as StorageError where error.code == .exists {
      throw CloudError(.exists, error.description)
    } catch let error as AssetStorageError where error.code == .owned {
      throw CloudError(.tryAgainLater, error.description)
    } catch is CancellationError {
      throw CloudError(.tryAgainLater, "The request was cancelled.")
    } catch {
      throw CloudError(.internalError, "\(error)")
    }
  }
}

/// The folder of a backup.
struct BackupFolder {
  let path: String

  var store: String { path + "/" + ServerFolder.storeName }
  var files: String { path + "/assets" }

  func create() throws(CommandError) { try ServerFolder.create(path) }
}
