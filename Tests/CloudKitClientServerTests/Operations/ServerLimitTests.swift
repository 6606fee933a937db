import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudRecords
import Foundation
import Synchronization
import Testing

/// Operations that exceed the server's limits for a request or an answer.
@Suite("Operations beyond the server's limits")
struct ServerLimitTests {
  private let cloud: TestCloud
  private let container: CKContainer
  private var database: CKDatabase { container.privateCloudDatabase }

  init() async throws {
    cloud = try await TestCloud(chance: TestRandomness()) { limits in
      limits.operationsPerRequest = 7
      limits.recordsPerResponse = 5
      // Enough for a list of twenty zones, but not for all that is saved at once.
      limits.answerBytes = 45_000
    }
    container = try await cloud.signIn("anna@example.com").container
  }

  /// Twenty zones with increasing numbers of records.
  private func fillZones() async throws -> [CKRecordZone.ID] {
    let zones = (0..<20).map { CKRecordZone(zoneName: "zone\($0)") }
    _ = try await database.modifyRecordZones(saving: zones, deleting: [])
    for (count, zone) in zones.enumerated() where count.isMultiple(of: 3) {
      let records = (0..<count).map {
        CKRecord(
          recordType: "Note", recordID: CKRecord.ID(recordName: "note\($0)", zoneID: zone.zoneID))
      }
      _ = try await database.modifyRecords(saving: records, deleting: [], atomically: false)
    }
    return zones.map(\.zoneID)
  }

  @Test func `Changes of more zones than a request may name are all reported`() async throws {
    let zoneIDs = try await fillZones()
    let reported = Mutex<[CKRecordZone.ID: Set<String>]>([:])
    let ends = Mutex<[CKRecordZone.ID]>([])
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: zoneIDs)
    operation.recordWasChangedBlock = { recordID, _ in
      let isNew = reported.withLock {
        $0[recordID.zoneID, default: []].insert(recordID.recordName).inserted
      }
      #expect(isNew, "\(recordID)")
    }
    operation.recordZoneFetchResultBlock = { zoneID, result in
      #expect(throws: Never.self) { try result.get() }
      ends.withLock { $0.append(zoneID) }
    }
    await database.carryOut(operation)
    #expect(Set(ends.withLock(\.self)) == Set(zoneIDs) && ends.withLock(\.count) == zoneIDs.count)
    for (count, zoneID) in zoneIDs.enumerated() {
      #expect(
        reported.withLock { $0[zoneID]?.count ?? 0 } == (count.isMultiple(of: 3) ? count : 0),
        "\(zoneID)")
    }
  }

  @Test
  func `More items than an answer may have are saved, fetched and queried in several requests`()
    async throws
  {
    let zone = try await database.save(CKRecordZone(zoneName: "Long"))
    let records = (0..<7).map { number in
      let recordID = CKRecord.ID(recordName: "note\(number)", zoneID: zone.zoneID)
      let record = CKRecord(recordType: "Note", recordID: recordID)
      record["text"] = String(repeating: "x", count: number == 3 ? 30_000 : 8_000)
      return record
    }
    let saved = try await database.modifyRecords(saving: records, deleting: [], atomically: false)
    #expect(saved.saveResults.count == 7)
    for (recordID, result) in saved.saveResults {
      #expect(throws: Never.self, "\(recordID)") { try result.get() }
    }
    let found = try await database.records(for: records.map(\.recordID))
    for record in records {
      let text = try found[record.recordID]?.get()["text"] as? String
      #expect(text == record["text"], "\(record.recordID)")
    }
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    var page = try await database.records(matching: query, inZoneWith: zone.zoneID)
    var names = page.matchResults.map(\.0.recordName)
    while let cursor = page.queryCursor {
      page = try await database.records(continuingMatchFrom: cursor)
      #expect(!page.matchResults.isEmpty)
      names += page.matchResults.map(\.0.recordName)
    }
    #expect(names.sorted() == records.map(\.recordID.recordName))
  }

  @Test func `More zones than a request may name are found`() async throws {
    let zoneIDs = try await fillZones()
    let found = try await database.recordZones(for: zoneIDs + [CKRecordZone.ID(zoneName: "absent")])
    #expect(found.count == 21)
    #expect(zoneIDs.allSatisfy { (try? found[$0]?.get()) != nil })
  }

  @Test func `More users than a request may name are found`() async throws {
    var wanted = (0..<20).map { CKUserIdentity.LookupInfo(emailAddress: "nobody\($0)@example.com") }
    for name in ["bob@example.com", "carol@example.com"] {
      _ = try await cloud.signIn(name)
      wanted.insert(CKUserIdentity.LookupInfo(emailAddress: name), at: wanted.count / 2)
    }
    let found = Mutex<[String]>([])
    let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: wanted)
    operation.userIdentityDiscoveredBlock = { _, info in
      found.withLock { $0.append(info.emailAddress ?? "") }
    }
    operation.discoverUserIdentitiesResultBlock = { result in
      #expect(throws: Never.self) { try result.get() }
    }
    await container.carryOut(operation)
    #expect(found.withLock(\.self).sorted() == ["bob@example.com", "carol@example.com"])
  }
}
