import CloudRecords
import RecordServer
import Synchronization

/// Copies and finds nothing, because storage in memory has no files.
///
/// It records the requested copies.
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
