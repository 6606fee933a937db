import ClientTestSupport
import CloudKitClient
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// The tags of records whose values are sealed again after their save.
@Suite("Tags of resealed records")
struct TagsAfterSealingTests {
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    database = try await WatchedCloud().container("anna").privateCloudDatabase
    try await database.save(zone)
  }

  private func album() async throws -> CKRecord {
    let album = CKRecord(
      recordType: "Album", recordID: CKRecord.ID(recordName: "album", zoneID: zone.zoneID))
    album.encryptedValues["secret"] = "x"
    return try await database.save(album)
  }

  /// The record that a program restores from the system fields of the save's result.
  private func kept(_ operation: CKModifyRecordsOperation, _ name: String) async throws -> CKRecord
  {
    let kept = Mutex<[Data]>([])
    operation.perRecordSaveBlock = { recordID, result in
      guard recordID.recordName == name, let record = try? result.get() else { return }
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      record.encodeSystemFields(with: archiver)
      archiver.finishEncoding()
      kept.withLock { $0.append(archiver.encodedData) }
    }
    #expect(await finish(operation, database) == nil)
    let reported = kept.withLock(\.self)
    #expect(reported.count == 1)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try #require(reported.first))
    return try #require(CKRecord(coder: unarchiver))
  }

  @Test func `A record that is first shared has its new tag`() async throws {
    let album = try await album()
    let operation = CKModifyRecordsOperation(recordsToSave: [album, CKShare(rootRecord: album)])
    let again = try await kept(operation, "album")
    #expect(again.recordChangeTag == album.recordChangeTag)
    again["title"] = "Album"
    try await database.save(again)
  }

  @Test func `A record saved while its share is deleted has its new tag`() async throws {
    let album = try await album()
    let share = CKShare(rootRecord: album)
    _ = try await database.modifyRecords(saving: [album, share], deleting: [])
    album["title"] = "Album"
    let operation = CKModifyRecordsOperation(
      recordsToSave: [album], recordIDsToDelete: [share.recordID])
    let again = try await kept(operation, "album")
    #expect(again.recordChangeTag == album.recordChangeTag)
    again["title"] = "My album"
    try await database.save(again)
  }
}
