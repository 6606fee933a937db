import ClientTestSupport
import CloudKitClient
import Foundation
import Synchronization
import Testing

/// Batches that foreign servers reject according to CloudKit's documented protocol, with one error
/// for all records.
@Suite("Batches that a foreign server rejects")
struct ForeignBatchTests {
  private let server = ForeignServer()
  private let database: CKDatabase
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  init() { database = server.container().privateCloudDatabase }

  private func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  private func note(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: recordID(name))
  }

  /// Sets the server's version of a record.
  private func setServerRecord(_ name: String, tag: String) {
    server.found.withLock {
      $0[name] =
        #"{"recordName":"\#(name)","recordType":"Note","recordChangeTag":"\#(tag)","fields":{},"zoneID":{"zoneName":"Notes","ownerRecordName":"_me"}}"#
    }
  }

  /// Makes the server reject every batch.
  private func rejectBatches(_ code: String, _ reason: String = "No.") {
    server.refusals.withLock {
      $0["records/modify"] = #"{"uuid":"u","serverErrorCode":"\#(code)","reason":"\#(reason)"}"#
    }
  }

  /// The results of an atomic batch by record.
  private func results(
    saving records: [CKRecord], deleting recordIDs: [CKRecord.ID] = [],
    _ policy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged
  ) async -> ([String], [CKError]) {
    let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: recordIDs)
    operation.savePolicy = policy
    let transcript = Transcript()
    let errors = Mutex<[CKError]>([])
    operation.perRecordSaveBlock = { recordID, result in
      transcript.note(recordID.recordName, result)
      if let error = error(result) { errors.withLock { $0.append(error) } }
    }
    operation.perRecordDeleteBlock = { transcript.note("delete \($0.recordName)", $1) }
    await database.carryOut(operation)
    return (transcript.lines, errors.withLock(\.self))
  }

  // MARK: Limits

  @Test(arguments: [(201, CKError.Code.limitExceeded), (200, .invalidArguments)])
  func `A rejected batch of more than 200 records exceeds the limit`(
    _ count: Int, _ code: CKError.Code
  ) async throws {
    rejectBatches("BAD_REQUEST", "Too many operations.")
    let records = (0..<count).map { note("\($0)") }
    await #expect {
      try await database.modifyRecords(saving: records, deleting: [])
    } throws: {
      let error = $0 as? CKError
      return error?.code == code && error?.localizedDescription == "Too many operations."
    }
  }

  // MARK: Atomic batches

  @Test func `A fetch finds the conflicts in a rejected atomic batch`() async throws {
    for name in ["one", "two", "gone"] { setServerRecord(name, tag: "1") }
    var records: [CKRecord] = []
    for name in ["one", "two", "gone"] {
      records.append(try await database.record(for: recordID(name)))
    }
    for record in records { record["title"] = "Milk" }
    server.found.withLock { $0["gone"] = nil }
    setServerRecord("one", tag: "2")
    setServerRecord("there", tag: "1")
    rejectBatches("ATOMIC_ERROR")
    let (lines, errors) = await results(
      saving: records + [note("there"), note("new")], deleting: [recordID("absent")])
    #expect(
      lines == [
        "one: serverRecordChanged", "two: batchRequestFailed", "gone: unknownItem",
        "there: serverRecordChanged",
        "new: batchRequestFailed", "delete absent: done",
      ])
    #expect(errors.first?.serverRecord?.recordChangeTag == "2")
    #expect(
      errors.first?.ancestorRecord?.recordChangeTag == "1"
        && errors.first?.clientRecord === records[0])
  }

  @Test(arguments: [CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged, .allKeys])
  func `If no record is at fault, the rejection is reported`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    setServerRecord("one", tag: "1")
    let one = try await database.record(for: recordID("one"))
    one["title"] = "Milk"
    rejectBatches("ATOMIC_ERROR", "Something is wrong.")
    let (lines, errors) = await results(saving: [one, note("new")], policy)
    #expect(lines == ["one: serverRejectedRequest", "new: serverRejectedRequest"])
    #expect(errors.allSatisfy { $0.localizedDescription.contains("Something is wrong.") })
  }

  @Test func `If the cause cannot be fetched, the error of the fetch is reported`() async throws {
    rejectBatches("ATOMIC_ERROR")
    server.refusals.withLock {
      $0["records/lookup"] = #"{"uuid":"u","serverErrorCode":"INTERNAL_ERROR","reason":"No."}"#
    }
    let (lines, _) = await results(saving: [note("new")])
    #expect(lines == ["new: internalError"])
  }
}
