import CloudKitClient
import CloudKitTesting
import Foundation
import Synchronization
import Testing

/// Reports of records that the server shows in an earlier version.
@Suite("Older records")
struct OlderRecordTests {
  private static let container = "iCloud.com.example.older"

  @Test func `An older record of the user is reported by its own ID`() async throws {
    let cloud = try await HostileCloud(seed: 1, attacks: [], container: Self.container)
    let anna = try await cloud.signIn("anna").container
    let (database, zoneID) = (anna.privateCloudDatabase, CKRecordZone.ID(zoneName: "Notes"))
    _ = try await anna.encryption.status()
    try await database.save(CKRecordZone(zoneID: zoneID))
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "one", zoneID: zoneID))
    record.encryptedValues["secret"] = "x"
    try await database.save(record)
    _ = try await database.record(for: record.recordID)
    let reported = Mutex<[CKRecord.ID]>([])
    let center = NotificationCenter.default
    let token = center.addObserver(
      forName: CKContainer.Encryption.olderRecordsShown, object: nil, queue: nil
    ) { note in
      let identifier = note.userInfo?[CKContainer.Encryption.containerIdentifierKey] as? String
      let recordIDs = note.userInfo?[CKContainer.Encryption.recordIDsKey] as? [CKRecord.ID]
      if identifier == Self.container { reported.withLock { $0 += recordIDs ?? [] } }
    }
    defer { center.removeObserver(token) }
    cloud.plan(.removeValue)
    _ = try await database.record(for: record.recordID)
    let recordIDs = reported.withLock { $0 }
    #expect(recordIDs == [record.recordID] && cloud.performed == [.removeValue])
  }
}
