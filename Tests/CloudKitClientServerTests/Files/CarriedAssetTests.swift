import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Assets from the server that are saved in other records.
@Suite("Assets saved in other records")
struct CarriedAssetTests {
  private let cloud: WatchedCloud
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await WatchedCloud()
    database = cloud.container("anna").privateCloudDatabase
    try await database.save(zone)
  }

  private func note(_ name: String, in zoneID: CKRecordZone.ID? = nil) -> CKRecord {
    CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID ?? zone.zoneID))
  }

  private static let contents = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  private static let others = Data(repeating: 9, count: 700)

  /// A fetched record with a file.
  private func fetched(_ name: String, _ folder: URL, in database: CKDatabase? = nil) async throws
    -> CKRecord
  {
    let database = database ?? self.database
    let file = folder.appendingPathComponent(UUID().uuidString)
    try Self.contents.write(to: file)
    let record = note(name, in: database.databaseScope == .public ? .default : zone.zoneID)
    record["picture"] = CKAsset(fileURL: file)
    try await database.save(record)
    let fetched = try await database.record(for: record.recordID)
    cloud.asked.withLock { $0 = [] }
    return fetched
  }

  private func picture(of recordID: CKRecord.ID) async throws -> Data {
    let record = try await database.record(for: recordID)
    return try Data(contentsOf: try #require((record["picture"] as CKAsset?)?.fileURL))
  }

  /// The number of uploads.
  ///
  /// Each takes a request for a URL and one for the file.
  private var uploads: Int {
    cloud.asked.withLock { $0.filter { $0 == "assets/upload" }.count / 2 }
  }

  @Test func `Another record gets the asset without sending its bytes`() async throws {
    try await withTemporaryDirectory { folder in
      let first = try await fetched("one", folder)
      let (second, third) = (note("two"), note("three", in: .default))
      second["picture"] = first["picture"] as CKAsset?
      second["pictures"] = [try #require(first["picture"] as CKAsset?)]
      third["picture"] = first["picture"] as CKAsset?
      try await database.save(second)
      try await database.save(third)
      #expect(uploads == 0)
      #expect(try await picture(of: second.recordID) == Self.contents)
      #expect(try await picture(of: third.recordID) == Self.contents)
      // A saved asset can be saved elsewhere again.
      let fourth = note("four")
      fourth["picture"] = second["picture"] as CKAsset?
      try await database.save(fourth)
      #expect(try await picture(of: fourth.recordID) == Self.contents)
      #expect(uploads == 0)
    }
  }

  @Test func `Records of a batch that share the asset make one request`() async throws {
    try await withTemporaryDirectory { folder in
      let first = try await fetched("one", folder)
      let copies = (0..<5).map { note("copy\($0)") }
      for copy in copies { copy["picture"] = first["picture"] as CKAsset? }
      _ = try await database.modifyRecords(saving: copies, deleting: [])
      #expect(cloud.asked.withLock(\.self) == ["assets/rereference", "records/modify"])
      for copy in copies { #expect(try await picture(of: copy.recordID) == Self.contents) }
    }
  }

  @Test func `A record of the other database gets the asset`() async throws {
    try await withTemporaryDirectory { folder in
      let publicDatabase = cloud.container("anna").publicCloudDatabase
      let first = try await fetched("one", folder, in: publicDatabase)
      let second = note("two")
      second["picture"] = first["picture"] as CKAsset?
      try await database.save(second)
      #expect(uploads == 0)
      #expect(try await picture(of: second.recordID) == Self.contents)
    }
  }

  @Test func `An asset for a recreated zone is sent again`() async throws {
    try await withTemporaryDirectory { folder in
      let first = try await fetched("one", folder)
      _ = try await database.deleteRecordZone(withID: zone.zoneID)
      try await database.save(CKRecordZone(zoneName: "Notes"))
      let again = note("one")
      for key in first.allKeys() { again[key] = first[key] }
      try await database.save(again)
      #expect(uploads == 1)
      #expect(try await picture(of: again.recordID) == Self.contents)
    }
  }

  @Test(arguments: [
    CKModifyRecordsOperation.RecordSavePolicy.allKeys, .changedKeys, .ifServerRecordUnchanged,
  ])
  func `The same record gets the asset back after another file`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await withTemporaryDirectory { folder in
      let mine = try await fetched("one", folder)
      let theirs = try await database.record(for: mine.recordID)
      let file = folder.appendingPathComponent("another")
      try Self.others.write(to: file)
      theirs["picture"] = CKAsset(fileURL: file)
      try await database.save(theirs)
      var saved = mine
      if policy == .ifServerRecordUnchanged { saved = theirs }
      if policy != .allKeys { saved["picture"] = mine["picture"] as CKAsset? }
      saved["title"] = "Mine"
      let results = try await database.modifyRecords(
        saving: [saved], deleting: [], savePolicy: policy)
      #expect(succeeded(results.saveResults[saved.recordID]))
      #expect(try await picture(of: mine.recordID) == Self.contents)
    }
  }

  @Test func `An asset that the record already has needs no request of its own`() async throws {
    try await withTemporaryDirectory { folder in
      let record = try await fetched("one", folder)
      record["picture"] = record["picture"] as CKAsset?
      record["title"] = "New"
      try await database.save(record)
      #expect(cloud.asked.withLock(\.self) == ["records/modify"])
      #expect(try await picture(of: record.recordID) == Self.contents)
    }
  }

  @Test func `An archived record can be saved elsewhere`() async throws {
    try await withTemporaryDirectory { folder in
      let first = try await fetched("one", folder)
      let archive = try NSKeyedArchiver.archivedData(
        withRootObject: first, requiringSecureCoding: true)
      let read = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
      let second = note("two")
      second["picture"] = read["picture"] as CKAsset?
      try await database.save(second)
      #expect(uploads == 0)
      #expect(try await picture(of: second.recordID) == Self.contents)
    }
  }

  @Test func `A file that neither the server nor this machine has is reported as missing`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let first = try await fetched("one", folder)
      let file = try #require((first["picture"] as CKAsset?)?.fileURL)
      try await database.deleteRecord(withID: first.recordID)
      try FileManager.default.removeItem(at: file)
      let second = note("two")
      second["picture"] = first["picture"] as CKAsset?
      await #expect { try await database.save(second) } throws: { CKError.assetFileNotFound ~= $0 }
    }
  }

  @Test func `If the server rejects the reuse of an asset, the client uploads the file`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let first = try await fetched("one", folder)
      let refused = TransportResponse.error(400, "BAD_REQUEST")
      cloud.injectedFault.withLock {
        $0 = { $0 == "assets/rereference" ? .answer(refused) : .none }
      }
      let second = note("two")
      second["picture"] = first["picture"] as CKAsset?
      try await database.save(second)
      #expect(uploads == 1)
      #expect(try await picture(of: second.recordID) == Self.contents)
    }
  }
}
