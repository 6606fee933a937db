import CloudRecords
import RecordServer
import Synchronization

/// Copies nothing and finds nothing, since storage in memory has no files; it knows which copies it
/// was asked for.
final class SampleUpkeep: ServerMaintenance {
  private let names = Mutex<Set<String>>([])

  func backUp(
    named name: String, isPruning: Bool, isThorough: Bool
  ) async throws(CloudError) -> BackupReport {
    guard names.withLock({ $0.insert(name).inserted }) else {
      throw CloudError(.exists, "There is a backup \(name).")
    }
    return BackupReport(path: "/backups/\(name)", fileCount: 0, removedCount: 0, problems: [])
  }

  func problems(isThorough: Bool) async throws(CloudError) -> [String] {
    isThorough ? ["thorough"] : []
  }
}
