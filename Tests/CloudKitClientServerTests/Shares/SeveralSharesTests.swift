import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudSyncEngine
import Foundation
import Testing

/// Participants of several shares of one zone who join another or lose one, and continue with their
/// tokens.
@Suite("Several shares in a zone")
struct SeveralSharesTests {
  private let anna: CKDatabase
  private let bob: CKContainer
  private let guest: CKShare.Participant
  private let zoneID = CKRecordZone.ID(zoneName: "Trips")
  private let notesProgram = NotesProgram()
  private let engine: CKSyncEngine

  init() async throws {
    let cloud = try await TestCloud()
    let container = try await cloud.signIn("anna@example.com").container
    anna = container.privateCloudDatabase
    bob = try await cloud.signIn("bob@example.com").container
    guest = try await container.shareParticipant(forEmailAddress: "bob@example.com")
    guest.permission = .readWrite
    var configuration = CKSyncEngine.Configuration(
      database: bob.sharedCloudDatabase, stateSerialization: nil, delegate: notesProgram)
    configuration.automaticallySync = false
    engine = CKSyncEngine(configuration)
    try await anna.save(CKRecordZone(zoneID: zoneID))
  }

  private func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  /// A record's identifier for Bob.
  private func bobs(_ name: String) async throws -> CKRecord.ID {
    let zone = try #require(try await bob.sharedCloudDatabase.allRecordZones().first)
    return CKRecord.ID(recordName: name, zoneID: zone.zoneID)
  }

  private func note(_ name: String, under parent: String? = nil) -> CKRecord {
    let note = CKRecord(recordType: "Note", recordID: recordID(name))
    note["title"] = "Anna's"
    if let parent { note.setParent(recordID(parent)) }
    return note
  }

  /// Anna shares a record with a child, and Bob accepts.
  private func share(_ name: String) async throws {
    let root = note(name)
    let share = CKShare(rootRecord: root, shareID: recordID("share of \(name)"))
    share.addParticipant(guest)
    let saved = try await anna.modifyRecords(
      saving: [root, note("\(name)1", under: name), share], deleting: [])
    for result in saved.saveResults.values { _ = try result.get() }
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
  }

  private func save(_ title: String, in name: String) async throws {
    let record = try await anna.record(for: recordID(name))
    record["title"] = title
    try await anna.save(record)
  }

  /// The ways in which Bob can lose a share.
  enum Loss: CaseIterable {
    case sentAway, hasLeft, hasEnded
  }

  private func lose(_ name: String, _ loss: Loss) async throws {
    let shareName = "share of \(name)"
    switch loss {
    case .sentAway:
      let share = try #require(try await anna.record(for: recordID(shareName)) as? CKShare)
      share.removeParticipant(try #require(share.participants.last))
      try await anna.save(share)
    case .hasLeft: try await bob.sharedCloudDatabase.deleteRecord(withID: try await bobs(shareName))
    case .hasEnded: try await anna.deleteRecord(withID: recordID(shareName))
    }
  }

  /// The contents of Bob's program, without shares.
  private func fetched() async throws -> [String] {
    try await engine.fetchChanges()
    return notesProgram.titles.filter { !$0.hasPrefix("share") }
  }

  // MARK: Engines

  @Test func `An engine gets what another share shows and continues from there`() async throws {
    try await share("a")
    #expect(try await fetched() == ["a1: Anna's", "a: Anna's"])
    try await share("b")
    try await save("Changed", in: "a1")
    #expect(try await fetched() == ["a1: Changed", "a: Anna's", "b1: Anna's", "b: Anna's"])
    _ = notesProgram.heard()
    try await save("Changed", in: "b1")
    #expect(try await fetched() == ["a1: Changed", "a: Anna's", "b1: Changed", "b: Anna's"])
    #expect(!notesProgram.heard().contains { $0.hasSuffix("whole") })
  }

  @Test(arguments: Loss.allCases)
  func `An engine drops what a share showed and continues with the other`(_ loss: Loss) async throws
  {
    for name in ["a", "b"] { try await share(name) }
    #expect(try await fetched() == ["a1: Anna's", "a: Anna's", "b1: Anna's", "b: Anna's"])
    try await lose("b", loss)
    try await save("Hidden", in: "b1")
    try await save("Changed", in: "a1")
    #expect(try await fetched() == ["a1: Changed", "a: Anna's"])
    _ = notesProgram.heard()
    notesProgram.write("Bob's", to: try await bobs("a"), engine)
    try await engine.sendChanges()
    #expect(try await anna.record(for: recordID("a"))["title"] == "Bob's")
    try await save("Again", in: "a1")
    #expect(try await fetched() == ["a1: Again", "a: Bob's"])
    #expect(!notesProgram.heard().contains { $0.hasSuffix("whole") })
  }

  @Test func `An engine that missed the loss of all shares and a new share has only the new one`()
    async throws
  {
    for name in ["a", "b"] { try await share(name) }
    #expect(try await fetched().count == 4)
    for name in ["a", "b"] { try await lose(name, .sentAway) }
    let share = try #require(try await anna.record(for: recordID("share of b")) as? CKShare)
    share.addParticipant(guest)
    try await anna.save(share)
    try await bob.accept(try await bob.shareMetadata(for: try #require(share.url)))
    #expect(try await fetched() == ["b1: Anna's", "b: Anna's"])
  }

  // MARK: Tokens

  @Test
  func `A token of other shares has expired, and a new one continues`() async throws {
    let database = bob.sharedCloudDatabase
    func names(since token: CKServerChangeToken?) async throws -> (Set<String>, CKServerChangeToken)
    {
      let changes = try await database.recordZoneChanges(
        inZoneWith: try await bobs("a").zoneID, since: token)
      let names = changes.modificationResultsByID.keys.map(\.recordName).filter {
        !$0.hasPrefix("share")
      }
      return (Set(names), changes.changeToken)
    }
    try await share("a")
    let first = try await names(since: nil)
    #expect(first.0 == ["a", "a1"])
    try await share("b")
    await #expect { _ = try await names(since: first.1) } throws: {
      CKError.changeTokenExpired ~= $0
    }
    let second = try await names(since: nil)
    #expect(second.0 == ["a", "a1", "b", "b1"])
    try await save("Changed", in: "b")
    let third = try await names(since: second.1)
    #expect(third.0 == ["b"])
    try await lose("b", .sentAway)
    await #expect { _ = try await names(since: third.1) } throws: {
      CKError.changeTokenExpired ~= $0
    }
    let last = try await names(since: nil)
    #expect(last.0 == ["a", "a1"])
    try await save("Changed", in: "b")
    try await save("Changed", in: "a1")
    #expect(try await names(since: last.1).0 == ["a1"])
  }

  @Test func `An operation rejects an expired token, and fetches everything without one`()
    async throws
  {
    try await share("a")
    let zoneID = try await bobs("a").zoneID
    let first = try await bob.sharedCloudDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil)
    try await share("b")
    for (token, expected) in [(first.changeToken, "changeTokenExpired"), (nil, "done")] {
      let transcript = Transcript()
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zoneID],
        configurationsByRecordZoneID: [zoneID: .init(previousServerChangeToken: token)])
      operation.recordZoneFetchResultBlock = { transcript.note("zone", $1) }
      operation.database = bob.sharedCloudDatabase
      await bob.carryOut(operation)
      #expect(transcript.lines == ["zone: \(expected)"])
    }
  }
}
