package import CloudRecords

/// Maintenance of everything a server stores, for administrators and command-line tools.
///
/// The program that starts the server implements this protocol, because it knows where the storage
/// and the files are.
package protocol ServerMaintenance: Sendable {
  /// Backs up everything while the server runs, into a named folder below the operator's backup
  /// folder.
  ///
  /// - Parameters:
  ///   - isPruning: Whether files that only earlier backups in that folder reference are removed.
  ///   - isThorough: Whether all existing files are verified, and copied again if damaged.
  func backUp(named name: String, isPruning: Bool, isThorough: Bool) async throws(CloudError)
    -> BackupReport

  /// Checks everything, and returns the issues as sentences.
  ///
  /// - Parameter isThorough: Whether all files are read, and indexes are compared with their
  ///   tables.
  func issues(isThorough: Bool) async throws(CloudError) -> [String]
}

/// The result of a backup.
package struct BackupReport: Hashable, Sendable {
  /// The folder of the backup.
  package var path: String
  /// The number of asset files in the folder.
  package var fileCount: Int
  /// The number of files of earlier backups that were removed.
  package var removedCount: Int
  /// The files that could not be copied because they are missing or damaged.
  package var issues: [String]

  package init(path: String, fileCount: Int, removedCount: Int, issues: [String]) {
    self.path = path
    self.fileCount = fileCount
    self.removedCount = removedCount
    self.issues = issues
  }
}
