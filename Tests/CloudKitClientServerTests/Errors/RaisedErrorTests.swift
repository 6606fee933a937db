import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// The real server's rejections, as codes of the API.
@Suite("Errors from the server")
struct RaisedErrorTests {
  private let cloud: TestCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private var database: CKDatabase { anna.privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Trips")

  init() async throws {
    cloud = try await TestCloud()
    anna = try await cloud.signIn("anna@example.com").container
    bob = try await cloud.signIn("bob@example.com").container
    try await database.save(zone)
  }

  private func trip(_ name: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Trip", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = name
    return record
  }

  private func save(_ records: [CKRecord]) async throws {
    do {
      _ = try await database.modifyRecords(saving: records, deleting: [])
    } catch let error as CKError where error.code == .partialFailure {
      // One record caused the failure of the atomic batch.
      let failures = (error.partialErrorsByItemID ?? [:]).values.compactMap { $0 as? CKError }
      throw failures.first { $0.code != .batchRequestFailed } ?? error
    }
  }

  @Test func `A record can have only one share`() async throws {
    let root = trip("one")
    try await save([root, CKShare(rootRecord: root)])
    await #expect {
      let again = try await database.record(for: root.recordID)
      try await save([
        again,
        CKShare(
          rootRecord: again, shareID: CKRecord.ID(recordName: "another", zoneID: zone.zoneID)),
      ])
    } throws: { ($0 as? CKError)?.code == .alreadyShared }
    let inner = trip("inner")
    inner.setParent(root)
    try await save([inner])
    await #expect { try await save([inner, CKShare(rootRecord: inner)]) } throws: {
      ($0 as? CKError)?.code == .alreadyShared
    }
  }

  @Test func `A share can have a hundred participants`() async throws {
    let share = CKShare(recordZoneID: zone.zoneID)
    for number in 0..<101 {
      share.addParticipant(
        try await anna.shareParticipant(forEmailAddress: "guest\(number)@example.com"))
    }
    await #expect { try await database.save(share) } throws: {
      ($0 as? CKError)?.code == .tooManyParticipants
    }
  }

  @Test func `Records that a user may only read cannot be saved`() async throws {
    let root = trip("one")
    let share = CKShare(rootRecord: root)
    share.publicPermission = .readOnly
    try await save([root, share])
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    let theirZone = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
    let theirs = try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "one", zoneID: theirZone.zoneID))
    theirs["title"] = "Bob's"
    await #expect { try await bob.sharedCloudDatabase.save(theirs) } throws: {
      ($0 as? CKError)?.code == .permissionFailure
    }
    await #expect {
      try await bob.sharedCloudDatabase.deleteRecord(withID: theirs.recordID)
    } throws: { ($0 as? CKError)?.code == .permissionFailure }
    #expect(try await database.record(for: root.recordID)["title"] == "one")
  }

  @Test func `A parent is saved before its children and deleted after them`() async throws {
    let child = trip("child")
    child.setParent(trip("one"))
    await #expect { try await save([child]) } throws: {
      ($0 as? CKError)?.code == .referenceViolation
    }
    try await save([trip("one"), child])
    await #expect {
      try await database.deleteRecord(withID: trip("one").recordID)
    } throws: { ($0 as? CKError)?.code == .referenceViolation }
    _ = try await database.modifyRecords(
      saving: [], deleting: [child.recordID, trip("one").recordID])
    await #expect { _ = try await database.record(for: trip("one").recordID) } throws: {
      ($0 as? CKError)?.code == .unknownItem
    }
  }

  @Test func `A parent is in the zone of its children`() async throws {
    let other = CKRecordZone(zoneName: "Other")
    try await database.save(other)
    try await save([trip("one")])
    let child = trip("child")
    child.setParent(CKRecord.ID(recordName: "one", zoneID: other.zoneID))
    await #expect { try await save([child]) } throws: {
      ($0 as? CKError)?.code == .invalidArguments
    }
    await #expect { _ = try await database.record(for: child.recordID) } throws: {
      ($0 as? CKError)?.code == .unknownItem
    }
    // The zone may also be named with its owner.
    let named = CKRecordZone.ID(
      zoneName: "Trips", ownerName: try await anna.userRecordID().recordName)
    child.setParent(CKRecord.ID(recordName: "one", zoneID: named))
    try await save([child])
    #expect(child.parent?.recordID == trip("one").recordID)
  }

  @Test func `A cascading reference deletes its record with the target`() async throws {
    let record = trip("one")
    record["place"] = CKRecord.Reference(recordID: trip("place").recordID, action: .deleteSelf)
    try await save([trip("place"), record])
    try await database.deleteRecord(withID: trip("place").recordID)
    await #expect { _ = try await database.record(for: record.recordID) } throws: {
      ($0 as? CKError)?.code == .unknownItem
    }
  }

  @Test func `An atomic request can have four hundred records`() async throws {
    await #expect { try await save((0..<401).map { trip("n\($0)") }) } throws: {
      ($0 as? CKError)?.code == .limitExceeded
    }
    #expect(
      try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
        .modificationResultsByID.isEmpty)
  }

  @Test func `The public database has neither zones nor feeds`() async throws {
    let publicDatabase = anna.publicCloudDatabase
    await #expect { _ = try await publicDatabase.databaseChanges(since: nil) } throws: {
      ($0 as? CKError)?.code == .badDatabase
    }
    await #expect {
      _ = try await publicDatabase.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    } throws: { ($0 as? CKError)?.code == .badDatabase }
    await #expect { try await publicDatabase.save(zone) } throws: {
      ($0 as? CKError)?.code == .permissionFailure
    }
  }

  @Test func `A field keeps its type`() async throws {
    try await save([trip("one")])
    let record = trip("two")
    record["title"] = 7
    await #expect { try await save([record]) } throws: {
      ($0 as? CKError)?.code == .invalidArguments
    }
  }

  @Test func `Another user's token is rejected`() async throws {
    let other = try await bob.privateCloudDatabase.databaseChanges(since: nil).changeToken
    await #expect { _ = try await database.databaseChanges(since: other) } throws: {
      ($0 as? CKError)?.code == .invalidArguments
    }
  }

  @Test func `A machine without a network reports it, and its saves do not arrive`() async throws {
    let device = try await cloud.signIn("anna@example.com")
    let offline = device.container.privateCloudDatabase
    _ = try await offline.allRecordZones()
    device.network.isOnline = false
    let before = (cloud.clock.now, device.network.requestCount)
    // The client tries four times with a back-off, which the cloud's clock skips.
    await #expect { try await offline.save(trip("one")) } throws: {
      ($0 as? CKError)?.code == .networkUnavailable
    }
    #expect(device.network.requestCount == before.1 + 4)
    #expect(cloud.clock.now.timeIntervalSince(before.0) > 1)
    await #expect { _ = try await database.record(for: trip("one").recordID) } throws: {
      ($0 as? CKError)?.code == .unknownItem
    }
  }
}
