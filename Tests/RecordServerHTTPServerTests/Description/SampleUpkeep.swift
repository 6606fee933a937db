import CloudRecords
import RecordServer
import Synchronization

/// The maintenance of storage in memory, which has no files to back up or to check.
///
/// It records the names of the requested backups.
final class SampleUpkeep: ServerMaintenance {
  private let names = Mutex<Set<String>>([])

  func backUp(
    named name: String, isPruning: Bool, isThorough: Bool
  ) async throws(CloudError) -> BackupReport {
    guard names.withLock({ $0.insert(name).inserted }) else {
      throw CloudError(.exists, "There is a backup \(name).")
    }
    return BackupReport(path: "/backups/\(name)", fileCount: 0, removedCount: 0, issues: [])
  }

  func issues(isThorough: Bool) async throws(CloudError) -> [String] {
    isThorough ? ["thorough"] : []
  }
}
