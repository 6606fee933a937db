import ClientTestSupport
import CloudKitClient
import CloudSyncEngine
import Foundation
import TestSupport
import Testing

@Suite("Files and engines over bad networks", .blockingThreads, .endsAtAll)
struct TransferTrialTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")
  private var recordID: CKRecord.ID { CKRecord.ID(recordName: "one", zoneID: zoneID) }

  // MARK: Files

  private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  /// Faults that also cut files in the middle.
  private static let cuts: [NetworkFault] = [
    .up(150_000, .reset), .down(150_000, .close), .down(150_000, .reset),
  ]

  @Test(arguments: NetworkTrial.parts(and: cuts))
  func `Files are uploaded and downloaded whole`(_ part: NetworkTrial.Part) async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("picture")
      try Self.content.write(to: file)
      let trial = NetworkTrial(
        prepare: { try await $0.ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) },
        act: { devices in
          let record = CKRecord(recordType: "Note", recordID: recordID)
          record["picture"] = CKAsset(fileURL: file)
          try await devices.ada.privateCloudDatabase.save(record)
          try await expectFile(devices.adasOther, "during the operation")
        },
        verify: { try await expectFile($0.ada, $1) })
      try await trial.run(part)
    }
  }

  private func expectFile(_ container: CKContainer, _ when: Comment) async throws {
    let record = try await container.privateCloudDatabase.record(for: recordID)
    let asset = try #require(record["picture"] as CKAsset?, when)
    #expect(try Data(contentsOf: #require(asset.fileURL)) == Self.content, when)
  }

  // MARK: Engines

  private func engine(_ container: CKContainer, _ notesProgram: NotesProgram) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase, stateSerialization: nil, delegate: notesProgram)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }

  /// Runs a block, and retries once after a gateway's answer, as an automatic engine does.
  private func retryingOnce(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as CKError where error.code == .networkFailure {
      try await body()
    }
  }

  @Test(arguments: NetworkTrial.parts())
  func `An engine sends and fetches everything once`(_ part: NetworkTrial.Part) async throws {
    let trial = NetworkTrial(
      act: { devices in
        let (mine, other) = (NotesProgram(), NotesProgram())
        let (first, second) = (engine(devices.ada, mine), engine(devices.adasOther, other))
        first.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: zoneID))])
        for name in ["a", "b", "c"] {
          mine.write("New", to: CKRecord.ID(recordName: name, zoneID: zoneID), first)
        }
        try await send(first)
        // A device that never fetched is not notified of deletions.
        try await fetch(first)
        try await fetch(second)
        other.write("Changed", to: CKRecord.ID(recordName: "a", zoneID: zoneID), second)
        other.delete(CKRecord.ID(recordName: "b", zoneID: zoneID), second)
        try await send(second)
        try await fetch(first)
        #expect(mine.titles == ["a: Changed", "c: New"])
        #expect(other.titles == ["a: Changed", "c: New"])
        #expect(mine.overlaps == 0 && other.overlaps == 0)
      },
      verify: { devices, when in
        let notesProgram = NotesProgram()
        try await engine(devices.ada, notesProgram).fetchChanges()
        #expect(notesProgram.titles == ["a: Changed", "c: New"], when)
      })
    try await trial.run(part)
  }

  private func send(_ engine: CKSyncEngine) async throws {
    for _ in 0..<2
    where !engine.state.pendingRecordZoneChanges.isEmpty
      || !engine.state.pendingDatabaseChanges.isEmpty
    {
      try await retryingOnce { try await engine.sendChanges() }
    }
    #expect(
      engine.state.pendingRecordZoneChanges.isEmpty && engine.state.pendingDatabaseChanges.isEmpty)
  }

  private func fetch(_ engine: CKSyncEngine) async throws {
    try await retryingOnce { try await engine.fetchChanges() }
  }
}
