import CloudRecords
import RecordServer

/// Copies nothing and finds nothing: storage in memory has no files.
struct SampleUpkeep: ServerUpkeep {
  func backUp(named name: String, isPruning: Bool) async throws(CloudError) -> BackupReport {
    BackupReport(path: "/backups/\(name)", fileCount: 0, removedCount: 0, problems: [])
  }

  func problems(isThorough: Bool) async throws(CloudError) -> [String] { isThorough ? ["thorough"] : [] }
}
