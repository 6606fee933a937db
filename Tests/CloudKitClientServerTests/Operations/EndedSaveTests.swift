import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Errors that end a batch of forced saves after some of them have counted as done.
@Suite("Saves that end halfway")
struct EndedSaveTests {
  private let cloud: WatchedCloud
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private static let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)
  private static let offline = TransportError(.offline, "No network.")

  @Test(arguments: [CKError.Code.operationCancelled, .networkUnavailable], [false, true])
  func `The operation ends with the error that stops the remaining saves`(
    _ code: CKError.Code, _ hasOtherZone: Bool
  ) async throws {
    let database = cloud.container("anna").privateCloudDatabase
    let others = CKRecordZone(zoneName: "Others")
    try await database.save(zone)
    try await database.save(others)
    let notes = ["0", "1", "2"].map {
      CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0, zoneID: zone.zoneID))
    }
    for note in notes {
      note["title"] = "before"
      try await database.save(note)
    }
    // The first save changes nothing, so it counts as done.
    for (note, title) in zip(notes, ["before", "now", "now"]) { note["title"] = title }
    let other = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "other", zoneID: others.zoneID))
    let operation = CKModifyRecordsOperation(recordsToSave: notes + (hasOtherZone ? [other] : []))
    operation.savePolicy = .changedKeys
    operation.isAtomic = false
    let transcript = Transcript()
    operation.perRecordSaveBlock = { transcript.note($0.recordName, $1) }
    operation.modifyRecordsResultBlock = { transcript.note("end", $0) }
    cloud.injectedFault.withLock {
      $0 = { endpoint in
        guard endpoint == "records/modify" else { return .none }
        if transcript.lines.isEmpty { return .lost(Self.lost) }
        if code == .networkUnavailable { return .lost(Self.offline) }
        operation.cancel()
        return .lost(TransportError(.cancelled, "Cancelled."))
      }
    }
    await database.carryOut(operation)
    let reported =
      ["0: done", "1: \(code)", "2: \(code)"] + (hasOtherZone ? ["other: \(code)"] : [])
    #expect(transcript.lines == reported + ["end: \(code)"])
  }
}
