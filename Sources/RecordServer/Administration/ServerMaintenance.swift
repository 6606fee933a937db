package import CloudRecords

/// What is done with all that a server keeps at once: for administrators, and for the commands
/// beside a server.
///
/// Whoever starts the server knows where its storage and files lie.
package protocol ServerMaintenance: Sendable {
  /// Copies everything, while the server runs, into a folder of this name where the operator wants
  /// backups.
  ///
  /// - Parameters:
  ///   - isPruning: Whether files go that only earlier copies in the folder needed.
  ///   - isThorough: Whether all files that the folder has are read, and copied anew where they
  ///     have gone bad.
  func backUp(named name: String, isPruning: Bool, isThorough: Bool) async throws(CloudError)
    -> BackupReport

  /// What is damaged or missing, a sentence for each.
  ///
  /// - Parameter isThorough: Whether all files are read, and indexes compared with what they are
  ///   of.
  func problems(isThorough: Bool) async throws(CloudError) -> [String]
}

/// What a backup came to.
package struct BackupReport: Hashable, Sendable {
  /// The folder that has the copy.
  package var path: String
  /// The files of records in it.
  package var fileCount: Int
  /// Files of earlier copies that it lost.
  package var removedCount: Int
  /// What could not be copied, since it is missing or damaged.
  package var problems: [String]

  package init(path: String, fileCount: Int, removedCount: Int, problems: [String]) {
    self.path = path
    self.fileCount = fileCount
    self.removedCount = removedCount
    self.problems = problems
  }
}
