import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import PredicateLanguage
import Testing

/// Reports of record operations, through the API and with the real server.
@Suite("Record operations")
struct RecordOperationTests {
  private let device: TestDevice
  private let container: CKContainer
  private var database: CKDatabase { container.privateCloudDatabase }
  private let userName: String
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  init() async throws {
    device = try await TestCloud().signIn("anna@example.com")
    container = device.container
    userName = try #require(device.userRecordName)
    try await database.save(CKRecordZone(zoneID: zoneID))
  }

  private func note(_ name: String, _ stars: Int = 0) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["title"] = "The title of \(name)"
    record["stars"] = stars
    return record
  }

  @available(*, deprecated)
  @Test func `A modify operation reports progress, each record, then the end`() async throws {
    try await database.save(note("old"))
    let transcript = Transcript()
    let operation = CKModifyRecordsOperation(
      recordsToSave: [note("one"), note("two")], recordIDsToDelete: [note("old").recordID])
    operation.perRecordProgressBlock = { record, share in
      if share == 1 { transcript.note("sent \(record.recordID.recordName)") }
    }
    operation.perRecordSaveBlock = { transcript.note($0.recordName, $1) }
    operation.perRecordCompletionBlock = { transcript.note("older \($0.recordID.recordName)", $1) }
    operation.perRecordDeleteBlock = { transcript.note("delete \($0.recordName)", $1) }
    operation.modifyRecordsResultBlock = { transcript.note("end", $0) }
    operation.modifyRecordsCompletionBlock = { saved, deleted, error in
      transcript.note("older end \(saved?.count ?? -1) \(deleted?.map(\.recordName) ?? [])", error)
    }
    await database.carryOut(operation)
    let lines = transcript.lines
    #expect(
      lines.filter { !$0.hasPrefix("sent") } == [
        "one: done", "older one: done", "two: done", "older two: done", "delete old: done",
        "end: done",
        #"older end 2 ["old"]: done"#,
      ])
    for name in ["one", "two"] {
      let (sent, saved) = (
        lines.firstIndex(of: "sent \(name)"), lines.firstIndex(of: "\(name): done")
      )
      #expect(try #require(sent) < #require(saved))
    }
  }

  @available(*, deprecated)
  @Test func `A fetch operation reports each record with the desired fields, then the end`()
    async throws
  {
    _ = try await database.modifyRecords(saving: [note("one")], deleting: [])
    let transcript = Transcript()
    let operation = CKFetchRecordsOperation(recordIDs: [
      note("one").recordID, note("absent").recordID,
    ])
    operation.desiredKeys = ["title"]
    operation.perRecordResultBlock = { recordID, result in
      transcript.note("\(recordID.recordName) \((try? result.get())?.allKeys() ?? [])", result)
    }
    operation.perRecordCompletionBlock = { record, recordID, error in
      transcript.note("older \(recordID?.recordName ?? "") \(record != nil)", error)
    }
    operation.fetchRecordsResultBlock = { transcript.note("end", $0) }
    operation.fetchRecordsCompletionBlock = { transcript.note("older end \($0?.count ?? -1)", $1) }
    await database.carryOut(operation)
    #expect(
      transcript.lines == [
        #"one ["title"]: done"#, "older one true: done", "absent []: unknownItem",
        "older absent false: unknownItem",
        "end: done", "older end 1: partialFailure",
      ])
  }

  @Test func `The signed-in user's record is fetched without a record name`() async throws {
    let found = AsyncStream<CKRecord?>.makeStream()
    let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    operation.perRecordResultBlock = { found.continuation.yield(try? $1.get()) }
    await container.publicCloudDatabase.carryOut(operation)
    found.continuation.finish()
    let records = await found.stream.reduce(into: []) { $0.append($1) }
    #expect(records.map { $0?.recordID.recordName } == [userName])
    #expect(records.first??.recordType == CKRecord.SystemType.userRecord)
  }

  private func stars(above limit: Int) -> CKQuery {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "stars > %d", limit))
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: true)]
    return query
  }

  @available(*, deprecated)
  @Test func `A query reports records in order, then a cursor that another query continues`()
    async throws
  {
    _ = try await database.modifyRecords(saving: (0..<5).map { note("n\($0)", $0) }, deleting: [])
    let transcript = Transcript()
    let cursors = AsyncStream<CKQueryOperation.Cursor?>.makeStream()
    func carryOut(_ operation: CKQueryOperation) async {
      operation.zoneID = zoneID
      operation.resultsLimit = 3
      operation.desiredKeys = ["stars"]
      operation.recordMatchedBlock = { transcript.note($0.recordName, $1) }
      operation.recordFetchedBlock = { transcript.note("older \($0.allKeys())") }
      operation.queryResultBlock = {
        transcript.note("end", $0)
        cursors.continuation.yield(try? $0.get())
      }
      operation.queryCompletionBlock = { transcript.note("older end \($0 != nil)", $1) }
      await database.carryOut(operation)
    }
    var ends = cursors.stream.makeAsyncIterator()
    await carryOut(CKQueryOperation(query: stars(above: 0)))
    let cursor = try #require(await ends.next() ?? nil)
    let item = #"older ["stars"]"#
    #expect(
      transcript.lines == [
        "n1: done", item, "n2: done", item, "n3: done", item, "end: done", "older end true: done",
      ])
    let next = CKQueryOperation(cursor: cursor)
    #expect(next.cursor == cursor)
    await carryOut(next)
    #expect(
      transcript.lines.dropFirst(8) == ["n4: done", item, "end: done", "older end false: done"])
    let last = await ends.next() ?? nil
    #expect(last == nil)
  }

  @Test func `A query that the server cannot answer is rejected`() async {
    let transcript = Transcript()
    for query in [
      nil,
      CKQuery(recordType: "Note", predicate: NSPredicate(format: "stars != 3 OR title == 'a'")),
    ] {
      let operation = CKQueryOperation()
      operation.query = query
      operation.queryResultBlock = { transcript.note("end", $0) }
      await database.carryOut(operation)
    }
    #expect(transcript.lines == ["end: invalidArguments", "end: invalidArguments"])
  }
}
