import ClientTestSupport
import CloudEncryption
import CloudKitClient
import CloudRecords
import CloudTransport
import CloudWire
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Values under a retired key, which the server rejects.
@Suite("Retired keys")
struct RetiredKeyTests {
  private let cloud: WatchedCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let zone = CKRecordZone(zoneName: "Secrets")

  init() async throws {
    cloud = try await WatchedCloud()
    (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    try await anna.privateCloudDatabase.save(zone)
    _ = try await bob.encryption.status()
  }

  private var bobsZone: CKRecordZone.ID {
    CKRecordZone.ID(zoneName: "Secrets", ownerName: cloud.name("anna"))
  }

  private func contact(_ name: String, in zoneID: CKRecordZone.ID, phone: String? = nil)
    -> CKRecord
  {
    let record = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = name
    if let phone { record.encryptedValues["phone"] = phone }
    return record
  }

  /// Bob joins the zone and seals a value, and then Anna makes a new key.
  private func rotateKeysWithoutBob() async throws {
    let share = CKShare(recordZoneID: zone.zoneID)
    let guest = try await anna.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    guest.permission = .readWrite
    share.addParticipant(guest)
    let result = try await anna.privateCloudDatabase.save(share)
    let saved = try #require(result as? CKShare)
    let url = try #require(saved.url)
    try await bob.accept(try await bob.shareMetadata(for: url))
    try await anna.privateCloudDatabase.save(contact("a", in: zone.zoneID, phone: "1"))
    try await bob.sharedCloudDatabase.save(contact("b", in: bobsZone, phone: "1"))
    let scope = KeyScope(
      zone: RecordZoneIdentifier(zoneName: "Secrets", ownerName: cloud.name("anna")))
    try await (try anna.session()).vault.engine().rotateKeys(of: scope)
    cloud.asked.withLock { $0 = [] }
  }

  /// The keys that seal the field `phone` of records of the zone.
  private func keys(_ names: [String]) async throws -> Set<[UInt8]> {
    var request = RecordsLookupRequest()
    request.records = names.map {
      .init(recordName: $0, zone: ZoneReference(zoneName: "Secrets"))
    }
    let answers = try await anna.session().call(request, .private).records
    return Set(
      answers.compactMap { answer in
        guard case .record(let shown) = answer, let field = shown.record.fields["phone"] else {
          return nil
        }
        return SealedValueHeader(of: field.value)?.key.bytes
      })
  }

  @Test(
    arguments: [true, false], [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys])
  func `A rejected value is resealed and sent`(
    isAtomic: Bool, policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await rotateKeysWithoutBob()
    let records = [
      contact("c", in: bobsZone), contact("d", in: bobsZone, phone: "2"),
      contact("e", in: bobsZone, phone: "3"),
    ]
    let results = try await bob.sharedCloudDatabase.modifyRecords(
      saving: records, deleting: [], savePolicy: policy, atomically: isAtomic
    ).saveResults
    for record in records { #expect(throws: Never.self) { try results[record.recordID]?.get() } }
    #expect(cloud.asked.withLock { $0.filter { $0 == "records/modify" } }.count == 2)
    for (name, phone) in [("d", "2"), ("e", "3")] {
      let found = try await anna.privateCloudDatabase.record(
        for: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
      #expect(found.encryptedValues["phone"] == phone)
    }
    let (former, present) = (try await keys(["a", "b"]), try await keys(["d", "e"]))
    #expect(former.count == 1 && present.count == 1 && former != present)
    // The next value needs no second request.
    cloud.asked.withLock { $0 = [] }
    try await bob.sharedCloudDatabase.save(contact("f", in: bobsZone, phone: "4"))
    #expect(cloud.asked.withLock { $0.filter { $0 == "records/modify" } }.count == 1)
  }

  @Test func `A server that hides the share does not prevent the new key after a removal`()
    async throws
  {
    try await rotateKeysWithoutBob()
    try await anna.privateCloudDatabase.save(contact("c", in: zone.zoneID, phone: "1"))
    let scope = KeyScope(
      zone: RecordZoneIdentifier(zoneName: "Secrets", ownerName: cloud.name("anna")))
    let former = try await keys(["c"])
    // As if the delivery after the removal had failed.
    let vault = (try anna.session()).vault
    try await vault.engine().decide(on: scope, ShareDecisions(removing: [cloud.name("bob")]))
    vault.markKeysUndelivered()
    let item = #""recordName":"cloudkit.zoneshare","serverErrorCode":"NOT_FOUND","reason":"""#
    let hidden = #"{"records":[{\#(item)}]}"#
    cloud.injectedFault.withLock {
      $0 = { operation in
        operation == "records/lookup"
          ? .answer(TransportResponse(status: 200, headers: [], body: Array(hidden.utf8))) : .none
      }
    }
    try await anna.privateCloudDatabase.save(contact("d", in: zone.zoneID, phone: "2"))
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    let present = try await keys(["d"])
    #expect(former.count == 1 && present.count == 1 && former != present)
  }

  @Test func `A change of a plain field keeps a value under the former key`() async throws {
    try await rotateKeysWithoutBob()
    let record = try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "b", zoneID: bobsZone))
    record["title"] = "changed"
    try await bob.sharedCloudDatabase.save(record)
    #expect(cloud.asked.withLock { $0.filter { $0 == "records/modify" } }.count == 1)
    #expect(record.encryptedValues["phone"] == "1")
  }
}
