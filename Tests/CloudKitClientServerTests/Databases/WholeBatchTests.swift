import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudTransport
import Foundation
import GeographicLocations
import Synchronization
import Testing
import WatchedClouds

/// Atomic batches through the asynchronous methods.
@Suite("Whole batches")
struct WholeBatchTests {
  private let cloud: TestCloud
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await TestCloud()
    database = try await cloud.signIn("anna@example.com").container.privateCloudDatabase
    try await database.save(zone)
  }

  private func note(_ name: String, in zoneID: CKRecordZone.ID) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = name
    return record
  }

  private func note(_ name: String) -> CKRecord { note(name, in: zone.zoneID) }

  /// The codes of a partial failure, by the names of records.
  private func codes(_ failure: CKError?) throws -> [String: CKError.Code] {
    let failure = try #require(failure)
    #expect(failure.code == .partialFailure)
    var codes: [String: CKError.Code] = [:]
    for (item, error) in failure.partialErrorsByItemID ?? [:] {
      codes[try #require(item as? CKRecord.ID).recordName] = (error as? CKError)?.code
    }
    return codes
  }

  @Test func `Deleting a missing record succeeds`() async throws {
    let gone = note("gone").recordID
    let results = try await database.modifyRecords(saving: [note("one")], deleting: [gone])
    #expect(try results.saveResults.count == 1 && results.deleteResults[gone]?.get() != nil)
    #expect(try await database.record(for: note("one").recordID)["title"] == "one")
  }

  @Test func `A failed batch throws an error for each record`() async throws {
    try await database.save(note("there"))
    let gone = note("gone").recordID
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [note("one"), note("there")], deleting: [gone])
    }
    let codes = try codes(failure)
    #expect(codes["one"] == .batchRequestFailed && codes["there"] == .serverRecordChanged)
    #expect(codes["gone"] != nil && codes.count == 3)
    let conflict = failure?.partialErrorsByItemID?[note("there").recordID] as? CKError
    #expect(conflict?.serverRecord?["title"] == "there" && conflict?.clientRecord != nil)
  }

  @Test func `All records that cannot be sent are reported, not only the first`() async throws {
    let records = ["one", "two", "three", "four"].map { note($0) }
    for record in records[1...2] {
      record["file"] = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere/\(UUID())"))
    }
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: records, deleting: [])
    }
    #expect(
      try codes(failure) == [
        "one": .batchRequestFailed, "two": .assetFileNotFound, "three": .assetFileNotFound,
        "four": .batchRequestFailed,
      ])
  }

  @Test func `A value that cannot be transmitted fails only its own record`() async throws {
    let (large, good, far, high) = (note("large"), note("good"), note("far"), note("high"))
    large["stars"] = Double.infinity
    far["place"] = CLLocation(latitude: 91, longitude: 16)
    high["place"] = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 16), altitude: .infinity,
      horizontalAccuracy: 0, verticalAccuracy: 0, timestamp: Date())
    let results = try await database.modifyRecords(
      saving: [large, good, far, high], deleting: [], atomically: false)
    for (record, field) in [(large, "stars"), (far, "place"), (high, "place")] {
      let failure = error(results.saveResults[record.recordID])
      #expect(failure?.code == .invalidArguments)
      #expect(failure?.localizedDescription.contains("Note.\(field) ") == true)
    }
    #expect(succeeded(results.saveResults[good.recordID]) && good.recordChangeTag != nil)
  }

  @Test func `A batch of one record throws a partial failure, a save the record's error`()
    async throws
  {
    try await database.save(note("there"))
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [note("there")], deleting: [])
    }
    #expect(try codes(failure) == ["there": .serverRecordChanged])
    await #expect { try await database.save(note("there")) } throws: {
      CKError.serverRecordChanged ~= $0
    }
    let lost = note("lost", in: CKRecordZone.ID(zoneName: "Nowhere"))
    await #expect { try await database.save(lost) } throws: { CKError.zoneNotFound ~= $0 }
    await #expect { try await database.deleteRecord(withID: lost.recordID) } throws: {
      CKError.zoneNotFound ~= $0
    }
  }

  @Test func `If a batch fails in one zone, its records in other zones are saved`() async throws {
    let garden = CKRecordZone(zoneName: "Garden")
    try await database.save(garden)
    try await database.save(note("there"))
    let rose = note("rose", in: garden.zoneID)
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [note("one"), note("there"), rose], deleting: [])
    }
    #expect(try codes(failure) == ["one": .batchRequestFailed, "there": .serverRecordChanged])
    #expect(rose.recordChangeTag != nil && rose.changedKeys().isEmpty)
    #expect(try await database.record(for: rose.recordID).recordChangeTag == rose.recordChangeTag)
  }

  @Test func `A batch that is not atomic has a result for each record`() async throws {
    let (first, second) = (note("there", in: .default), note("one", in: .default))
    try await database.save(note("there", in: .default))
    let inDefaultZone = try await database.modifyRecords(
      saving: [first, second], deleting: [], atomically: true)
    #expect(error(inDefaultZone.saveResults[first.recordID])?.code == .serverRecordChanged)
    #expect(succeeded(inDefaultZone.saveResults[second.recordID]))
    try await database.save(note("there"))
    let single = try await database.modifyRecords(
      saving: [note("there"), note("one")], deleting: [], atomically: false)
    #expect(error(single.saveResults[note("there").recordID])?.code == .serverRecordChanged)
    #expect(succeeded(single.saveResults[note("one").recordID]))
  }

  @Test func `If nothing was done, the network's error is thrown`() async throws {
    let watched = try await WatchedCloud()
    watched.injectedFault.withLock { $0 = { _ in .lost(TransportError(.offline, "No network.")) } }
    let away = watched.container("anna").privateCloudDatabase
    await #expect { try await away.modifyRecords(saving: [note("one")], deleting: []) } throws: {
      CKError.networkUnavailable ~= $0
    }
  }

  @Test func `A completion handler gets the same error`() async throws {
    try await database.save(note("there"))
    let failure = await #expect(throws: CKError.self) {
      try await completionResult {
        database.modifyRecords(
          saving: [note("one"), note("there")], deleting: [], completionHandler: $0)
      }
    }
    #expect(try codes(failure) == ["one": .batchRequestFailed, "there": .serverRecordChanged])
  }
}
