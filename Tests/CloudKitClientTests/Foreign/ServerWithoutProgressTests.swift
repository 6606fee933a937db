import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Foundation
import Synchronization
import TestSupport
import Testing

/// A server that always reports that more is coming, with the same token.
@Suite("A server that makes no progress", .endsAtAll)
struct ServerWithoutProgressTests {
  private let server = ForeignServer()
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  private static let zone = #""zoneID":{"zoneName":"Notes","ownerRecordName":"_me"}"#
  private static let record =
    #"{"recordName":"one","recordType":"Note","recordChangeTag":"1","fields":{}}"#

  init() {
    server.answers.withLock {
      $0["changes/database"] = #"{"zones":[{\#(Self.zone)}],"syncToken":"QQ==","moreComing":true}"#
      $0["changes/zone"] =
        #"{"zones":[{\#(Self.zone),"records":[\#(Self.record)],"syncToken":"QQ==","moreComing":true}]}"#
      $0["records/query"] = #"{"records":[\#(Self.record)],"continuationMarker":"QQ=="}"#
    }
  }

  private var database: CKDatabase { server.container().privateCloudDatabase }

  private func asked(_ operation: String) -> Int {
    server.asked.withLock { $0.count { $0.operation == operation } }
  }

  private func expectStandstill(_ error: (any Error)?) {
    let error = error as? CKError
    #expect(
      error?.code == .internalError
        && error?.localizedDescription.contains("the same position") == true)
  }

  @Test func `An operation for database changes ends`() async {
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
    let ends = Mutex<[any Error]>([])
    operation.fetchDatabaseChangesResultBlock = { result in
      if case .failure(let error) = result { ends.withLock { $0.append(error) } }
    }
    await database.carryOut(operation)
    expectStandstill(ends.withLock { $0.first })
    #expect(asked("changes/database") == 2)
  }

  @Test
  func `An operation for zone changes ends and names the zone without progress`() async {
    let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID])
    let ends = Mutex<[CKRecordZone.ID: any Error]>([:])
    let records = Mutex(0)
    operation.recordWasChangedBlock = { _, _ in records.withLock { $0 += 1 } }
    operation.recordZoneFetchResultBlock = { zoneID, result in
      if case .failure(let error) = result { ends.withLock { $0[zoneID] = error } }
    }
    await database.carryOut(operation)
    expectStandstill(ends.withLock { $0[zoneID] })
    #expect(records.withLock(\.self) == 1 && asked("changes/zone") == 2)
  }

  @Test func `A query for many records ends`() async {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let operation = CKQueryOperation(query: query)
    operation.resultsLimit = 100
    let ends = Mutex<[any Error]>([])
    operation.queryResultBlock = { result in
      if case .failure(let error) = result { ends.withLock { $0.append(error) } }
    }
    await database.carryOut(operation)
    expectStandstill(ends.withLock { $0.first })
    #expect(asked("records/query") == 2)
  }

  @Test func `A program that pages on its own gets an error`() async throws {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let cursor = try #require(try await database.records(matching: query).queryCursor)
    await #expect { try await database.records(continuingMatchFrom: cursor) } throws: {
      CKError.internalError ~= $0
    }
    let token = try await database.databaseChanges(since: nil).changeToken
    await #expect { try await database.databaseChanges(since: token) } throws: {
      CKError.internalError ~= $0
    }
    let place = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
    await #expect {
      try await database.recordZoneChanges(inZoneWith: zoneID, since: place)
    } throws: {
      CKError.internalError ~= $0
    }
  }

  @Test func `An engine ends its fetch`() async {
    let notesProgram = NotesProgram()
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: nil, delegate: notesProgram)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    await #expect { try await engine.fetchChanges() } throws: { CKError.internalError ~= $0 }
    server.answers.withLock {
      $0["changes/database"] = #"{"zones":[{\#(Self.zone)}],"syncToken":"Qg=="}"#
    }
    await #expect { try await engine.fetchChanges() } throws: { CKError.internalError ~= $0 }
    #expect(notesProgram.titles == ["one: -"])
    #expect(
      notesProgram.heard().contains(
        "didFetchRecordZoneChanges Notes:__defaultOwner__ internalError"))
  }
}
