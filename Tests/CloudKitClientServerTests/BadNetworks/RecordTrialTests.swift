import CloudKitClient
import Foundation
import TestSupport
import Testing

@Suite("Records over bad networks", .blockingThreads, .endsAtAll)
struct RecordTrialTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private func note(_ name: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = "New"
    return record
  }

  private func names(_ database: CKDatabase) async throws -> Set<String> {
    let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
    return Set(changes.modificationResultsByID.keys.map(\.recordName))
  }

  private func saving(_ policy: CKModifyRecordsOperation.RecordSavePolicy) -> NetworkTrial {
    NetworkTrial(
      act: { devices in
        let (database, record) = (devices.ada.privateCloudDatabase, note("one"))
        try await database.save(CKRecordZone(zoneID: zoneID))
        for title in ["New", "Changed"] {
          record["title"] = title
          let results = try await database.modifyRecords(
            saving: [record, note("beside \(title)")], deleting: [], savePolicy: policy
          ).saveResults
          for result in results.values { _ = try result.get() }
        }
      },
      verify: { devices, when in
        let database = devices.adasOther.privateCloudDatabase
        let names = try await names(database)
        #expect(names == ["one", "beside New", "beside Changed"], when)
        let there = try await database.record(for: note("one").recordID)
        #expect(there["title"] == "Changed", when)
      })
  }

  private static let policies: [CKModifyRecordsOperation.RecordSavePolicy] = [
    .ifServerRecordUnchanged, .changedKeys, .allKeys,
  ]

  @Test(arguments: policies) func `Records are saved once`(
    policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await saving(policy).runThroughEverything(and: [.duplicate(answering: .second)])
  }

  /// A file is uploaded, saved over an existing record, and copied to another one, while each fault
  /// is injected into each request.
  private func carrying(_ file: URL) -> NetworkTrial {
    NetworkTrial(
      act: { devices in
        let (database, record, copy) = (devices.ada.privateCloudDatabase, note("one"), note("copy"))
        try await database.save(CKRecordZone(zoneID: zoneID))
        record["file"] = CKAsset(fileURL: file)
        for policy in [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys] {
          let results = try await database.modifyRecords(
            saving: [record], deleting: [], savePolicy: policy)
          for result in results.saveResults.values { _ = try result.get() }
        }
        copy["file"] = try await database.record(for: record.recordID)["file"] as CKAsset?
        try await database.save(copy)
      },
      verify: { devices, when in
        for name in ["one", "copy"] {
          let there = try await devices.adasOther.privateCloudDatabase.record(
            for: note(name).recordID)
          let place = try #require((there["file"] as CKAsset?)?.fileURL)
          #expect(try Data(contentsOf: place) == Data(repeating: 7, count: 3_000), when)
        }
      })
  }

  @Test func `Records with a file are saved once, and another record can have the file`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("file")
      try Data(repeating: 7, count: 3_000).write(to: file)
      try await carrying(file).runThroughEverything(and: [.duplicate(answering: .second)])
    }
  }

  @Test func `Records are deleted once`() async throws {
    let trial = NetworkTrial(
      prepare: { try await $0.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) },
      act: { devices in
        let (database, record) = (devices.ada.privateCloudDatabase, note("one"))
        try await database.save(record)
        record["title"] = "Changed"
        try await database.save(record)
        try await database.deleteRecord(withID: record.recordID)
      },
      verify: { devices, when in
        let names = try await names(devices.adasOther.privateCloudDatabase)
        #expect(names == [], when)
      })
    try await trial.runThroughEverything(and: [.duplicate(answering: .second)])
  }

  @Test func `Requests that are repeated and lose their first answer are saved once`() async throws
  {
    try await withDistantCloud { cloud in
      try await cloud.usingDevices { devices in
        let database = devices.ada.privateCloudDatabase
        let record = note("one")
        try await database.save(CKRecordZone(zoneID: zoneID))
        for title in ["New", "Changed"] {
          record["title"] = title
          cloud.proxy.plan = [.duplicate(answering: .second)]
          try await database.save(record)
          #expect(record["title"] == title && record.changedKeys().isEmpty)
          #expect(try await names(database) == ["one"])
        }
        cloud.proxy.plan = [.duplicate(answering: .second)]
        try await database.deleteRecord(withID: record.recordID)
        #expect(try await names(database) == [])
      }
    }
  }

  /// The network delays a request until the program has continued with another one.
  @Test func `An abandoned save does not overwrite the program's next one`() async throws {
    try await withDistantCloud { cloud in
      try await cloud.usingDevices { devices in
        let (database, record) = (devices.ada.privateCloudDatabase, note("one"))
        try await database.save(CKRecordZone(zoneID: zoneID))
        try await database.save(note("other"))
        cloud.proxy.plan = [.late] + [NetworkFault](repeating: .up(20, .reset), count: 3)
        await #expect { try await database.save(record) } throws: {
          CKError.serverResponseLost ~= $0
        }
        try await database.deleteRecord(withID: note("other").recordID)
        // The late request has arrived by now, before the answer to the next one.
        #expect(try await names(database) == [])
      }
    }
  }

  @Test func `A zone whose deletion was cancelled stays`() async throws {
    try await withDistantCloud { cloud in
      try await cloud.usingDevices { devices in
        let database = devices.ada.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: zoneID))
        cloud.proxy.plan = [.late] + [NetworkFault](repeating: .up(20, .reset), count: 3)
        await #expect { try await database.deleteRecordZone(withID: zoneID) } throws: {
          CKError.serverResponseLost ~= $0
        }
        try await database.save(note("one"))
        #expect(try await names(database) == ["one"])
      }
    }
  }

  @Test func `A subscription whose save was cancelled does not come back`() async throws {
    try await withDistantCloud { cloud in
      try await cloud.usingDevices { devices in
        let database = devices.ada.privateCloudDatabase
        cloud.proxy.plan = [.late] + [NetworkFault](repeating: .up(20, .reset), count: 3)
        await #expect {
          try await database.save(CKDatabaseSubscription(subscriptionID: "all"))
        } throws: {
          CKError.serverResponseLost ~= $0
        }
        await #expect { try await database.deleteSubscription(withID: "all") } throws: {
          CKError.unknownItem ~= $0
        }
        let left = try await database.allSubscriptions()
        #expect(left.isEmpty)
      }
    }
  }

  // MARK: Zones and subscriptions

  @Test func `Zones are created and deleted once`() async throws {
    let making = NetworkTrial(
      act: { try await $0.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) },
      verify: { devices, when in
        let zones = try await devices.adasOther.privateCloudDatabase.allRecordZones().map(\.zoneID)
        #expect(zones.filter { $0 == zoneID }.count == 1, when)
      })
    let deleting = NetworkTrial(
      prepare: making.act,
      act: { _ = try await $0.ada.privateCloudDatabase.deleteRecordZone(withID: zoneID) },
      verify: { devices, when in
        let zones = try await devices.adasOther.privateCloudDatabase.allRecordZones().map(\.zoneID)
        #expect(!zones.contains(zoneID), when)
      })
    for trial in [making, deleting] {
      try await trial.runThroughEverything(and: [.duplicate(answering: .second)])
    }
  }

  @Test func `Subscriptions are created and deleted once`() async throws {
    let making = NetworkTrial(
      prepare: { devices in
        try await devices.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
        // A query can name a type only once a record of it exists.
        try await devices.ada.privateCloudDatabase.save(note("first"))
      },
      act: { devices in
        let database = devices.ada.privateCloudDatabase
        let query = CKQuerySubscription(
          recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "query",
          options: .firesOnRecordCreation)
        let info = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        query.notificationInfo = info
        try await database.save(CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "zone"))
        _ = try await database.modifySubscriptions(
          saving: [query, CKDatabaseSubscription(subscriptionID: "all")], deleting: []
        ).saveResults.mapValues { try $0.get() }
      },
      verify: { devices, when in
        let names = try await devices.adasOther.privateCloudDatabase.allSubscriptions().map(
          \.subscriptionID)
        #expect(names.sorted() == ["all", "query", "zone"], when)
      })
    let ending = NetworkTrial(
      prepare: {
        try await making.prepare($0)
        try await making.act($0)
      },
      act: { devices in
        let database = devices.ada.privateCloudDatabase
        _ = try await database.deleteSubscription(withID: "all")
        let (_, deleted) = try await database.modifySubscriptions(
          saving: [], deleting: ["zone", "query"])
        for result in deleted.values { try result.get() }
      },
      verify: { devices, when in
        let left = try await devices.adasOther.privateCloudDatabase.allSubscriptions()
        #expect(left.isEmpty, when)
      })
    for trial in [making, ending] {
      try await trial.runThroughEverything(and: [.duplicate(answering: .second)])
    }
  }
}
