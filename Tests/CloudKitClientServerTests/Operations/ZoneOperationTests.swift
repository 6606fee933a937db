import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// Reports of operations on zones and their feeds, through the API and with the real server.
@Suite("Zone operations")
struct ZoneOperationTests {
  private let device: TestDevice
  private let container: CKContainer
  private var database: CKDatabase { container.privateCloudDatabase }

  init() async throws {
    device = try await TestCloud().signIn("anna@example.com")
    container = device.container
  }

  private func zone(_ name: String) -> CKRecordZone { CKRecordZone(zoneName: name) }

  private func note(_ name: String, in zone: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: self.zone(zone).zoneID))
    record["title"] = name
    return record
  }

  @available(*, deprecated)
  @Test func `A modify operation reports each zone, then the end`() async throws {
    try await database.save(zone("old"))
    let transcript = Transcript()
    let operation = CKModifyRecordZonesOperation(
      recordZonesToSave: [zone("one"), zone("two")],
      recordZoneIDsToDelete: [zone("old").zoneID, zone("absent").zoneID])
    operation.perRecordZoneSaveBlock = { transcript.note($0.zoneName, $1) }
    operation.perRecordZoneDeleteBlock = { transcript.note("delete \($0.zoneName)", $1) }
    operation.modifyRecordZonesResultBlock = { transcript.note("end", $0) }
    operation.modifyRecordZonesCompletionBlock = { saved, deleted, error in
      transcript.note(
        "older end \(saved?.map(\.zoneID.zoneName) ?? []) \(deleted?.map(\.zoneName) ?? [])", error)
    }
    await database.carryOut(operation)
    #expect(
      transcript.lines == [
        "one: done", "two: done", "delete old: done", "delete absent: zoneNotFound", "end: done",
        #"older end ["one", "two"] ["old"]: partialFailure"#,
      ])
  }

  @available(*, deprecated)
  @Test func `A fetch operation reports each zone, then the end`() async throws {
    _ = try await database.modifyRecordZones(saving: [zone("one"), zone("two")], deleting: [])
    let transcript = Transcript()
    func fetch(_ operation: CKFetchRecordZonesOperation) async {
      operation.perRecordZoneResultBlock = { transcript.note($0.zoneName, $1) }
      operation.fetchRecordZonesResultBlock = { transcript.note("end", $0) }
      operation.fetchRecordZonesCompletionBlock = {
        transcript.note("older end \($0?.count ?? -1)", $1)
      }
      await database.carryOut(operation)
    }
    await fetch(
      CKFetchRecordZonesOperation(recordZoneIDs: [zone("two").zoneID, zone("absent").zoneID]))
    #expect(
      transcript.lines == [
        "two: done", "absent: zoneNotFound", "end: done", "older end 1: partialFailure",
      ])
    await fetch(.fetchAllRecordZonesOperation())
    let all = transcript.lines.dropFirst(4)
    #expect(all.dropLast(2).sorted() == ["_defaultZone: done", "one: done", "two: done"])
    #expect(all.suffix(2) == ["end: done", "older end 3: done"])
  }

  // MARK: Feeds

  /// Fetches a database's changes.
  ///
  /// - Returns: The final token.
  @available(*, deprecated)
  private func changes(
    since token: CKServerChangeToken?, _ transcript: Transcript,
    _ change: (CKFetchDatabaseChangesOperation) -> Void = { _ in }
  ) async throws -> CKServerChangeToken {
    let ends = AsyncStream<CKServerChangeToken?>.makeStream()
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    operation.recordZoneWithIDChangedBlock = { transcript.note("changed \($0.zoneName)") }
    operation.recordZoneWithIDWasDeletedBlock = { transcript.note("deleted \($0.zoneName)") }
    operation.recordZoneWithIDWasPurgedBlock = { transcript.note("purged \($0.zoneName)") }
    operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = {
      transcript.note("reset \($0.zoneName)")
    }
    operation.changeTokenUpdatedBlock = { _ in transcript.note("token") }
    operation.fetchDatabaseChangesResultBlock = { result in
      transcript.note("end more: \((try? result.get().moreComing) ?? false)", result)
      ends.continuation.yield(try? result.get().serverChangeToken)
    }
    operation.fetchDatabaseChangesCompletionBlock = {
      transcript.note("older end \($0 != nil) \($1)", $2)
    }
    change(operation)
    await database.carryOut(operation)
    var iterator = ends.stream.makeAsyncIterator()
    return try #require(await iterator.next() ?? nil)
  }

  @available(*, deprecated)
  @Test
  func `Database changes report changed, deleted and reset zones, then the token`() async throws {
    let transcript = Transcript()
    _ = try await database.modifyRecordZones(
      saving: [zone("one"), zone("two"), zone("three")], deleting: [])
    let secret = note("secret", in: "two")
    secret.encryptedValues["secret"] = "secret"
    try await database.save(secret)
    let first = try await changes(since: nil, transcript)
    #expect(
      transcript.lines.dropLast(2).sorted() == ["changed one", "changed three", "changed two"])
    #expect(transcript.lines.suffix(2) == ["end more: false: done", "older end true false: done"])
    try await database.save(note("a", in: "three"))
    try await database.deleteRecordZone(withID: zone("one").zoneID)
    try await container.encryption.reset(zone("two").zoneID)
    let before = transcript.lines.count
    _ = try await changes(since: first, transcript)
    #expect(
      transcript.lines.dropFirst(before).dropLast(2).sorted() == [
        "changed three", "deleted one", "reset two",
      ])
  }

  @available(*, deprecated)
  @Test func `Database changes arrive page by page, or as one page on request`() async throws {
    _ = try await database.modifyRecordZones(
      saving: ["one", "two", "three"].map(zone), deleting: [])
    let transcript = Transcript()
    _ = try await changes(since: nil, transcript) { $0.resultsLimit = 1 }
    #expect(transcript.lines.filter { $0.hasPrefix("changed") }.count == 3)
    #expect(transcript.lines.filter { $0 == "token" }.count >= 2)
    #expect(transcript.lines.suffix(2).first == "end more: false: done")
    let single = Transcript()
    let token = try await changes(since: nil, single) {
      ($0.resultsLimit, $0.fetchAllChanges) = (1, false)
    }
    #expect(single.lines.dropFirst() == ["end more: true: done", "older end true true: done"])
    _ = try await changes(since: token, single)
    #expect(single.lines.filter { $0.hasPrefix("changed") }.count == 3)
  }

  @available(*, deprecated)
  @Test func `The oldest operation reports one zone's changes page by page`() async throws {
    try await database.save(zone("one"))
    _ = try await database.modifyRecords(
      saving: [note("a", in: "one"), note("b", in: "one")], deleting: [])
    let transcript = Transcript()
    let tokens = AsyncStream<CKServerChangeToken?>.makeStream()
    func fetch(_ zone: CKRecordZone.ID?, since token: CKServerChangeToken?) async -> Bool {
      let operation = CKFetchRecordChangesOperation()
      (operation.recordZoneID, operation.previousServerChangeToken) = (zone, token)
      (operation.resultsLimit, operation.desiredKeys) = (1, [])
      operation.recordChangedBlock = {
        transcript.note("\($0.recordID.recordName) \($0.allKeys())")
      }
      operation.recordWithIDWasDeletedBlock = { transcript.note("deleted \($0.recordName)") }
      operation.fetchRecordChangesCompletionBlock = { token, client, error in
        transcript.note("end \(token != nil) \(client == nil)", error)
        tokens.continuation.yield(token)
      }
      await database.carryOut(operation)
      return operation.moreComing
    }
    let zoneID = zone("one").zoneID
    var ends = tokens.stream.makeAsyncIterator()
    #expect(await fetch(zoneID, since: nil))
    let middle = await ends.next() ?? nil
    #expect(await !fetch(zoneID, since: middle))
    let last = await ends.next() ?? nil
    #expect(transcript.lines == ["a []", "end true true: done", "b []", "end true true: done"])
    try await database.deleteRecord(withID: note("a", in: "one").recordID)
    let newer = CKFetchRecordChangesOperation(recordZoneID: zoneID, previousServerChangeToken: last)
    newer.recordWithIDWasDeletedBlock = { transcript.note("deleted \($0.recordName)") }
    await database.carryOut(newer)
    #expect(await !fetch(zone("absent").zoneID, since: nil))
    #expect(await !fetch(nil, since: nil))
    #expect(
      transcript.lines.dropFirst(4) == [
        "deleted a", "end false true: zoneNotFound", "end false true: invalidArguments",
      ])
  }

  @available(*, deprecated)
  @Test func `Deprecated zone options set the configurations`() async throws {
    try await database.save(zone("one"))
    try await database.save(note("a", in: "one"))
    let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
    options.desiredKeys = []
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone("one").zoneID], optionsByRecordZoneID: [zone("one").zoneID: options])
    #expect(operation.configurationsByRecordZoneID == operation.optionsByRecordZoneID)
    let transcript = Transcript()
    operation.recordWasChangedBlock = {
      transcript.note("\((try? $1.get())?.allKeys() ?? ["?"])", $1)
    }
    await database.carryOut(operation)
    #expect(transcript.lines == ["[]: done"])
    operation.optionsByRecordZoneID = nil
    #expect(operation.configurationsByRecordZoneID == nil)
  }

  @available(*, deprecated)
  @Test func `Zone changes report records, deletions, and the end of each zone`() async throws {
    _ = try await database.modifyRecordZones(saving: [zone("one")], deleting: [])
    _ = try await database.modifyRecords(
      saving: [note("a", in: "one"), note("b", in: "one")], deleting: [])
    let first = try await database.recordZoneChanges(inZoneWith: zone("one").zoneID, since: nil)
      .changeToken
    _ = try await database.modifyRecords(
      saving: [note("c", in: "one")], deleting: [note("a", in: "one").recordID])
    let transcript = Transcript()
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zone("one").zoneID, zone("absent").zoneID],
      configurationsByRecordZoneID: [
        zone("one").zoneID: .init(previousServerChangeToken: first, desiredKeys: [])
      ])
    operation.recordWasChangedBlock = { recordID, result in
      transcript.note("\(recordID.recordName) \((try? result.get())?.allKeys() ?? ["?"])", result)
    }
    operation.recordChangedBlock = { transcript.note("older \($0.recordID.recordName)") }
    operation.recordWithIDWasDeletedBlock = { transcript.note("deleted \($0.recordName) of \($1)") }
    operation.recordZoneFetchResultBlock = { transcript.note("end of \($0.zoneName)", $1) }
    operation.recordZoneFetchCompletionBlock = { zoneID, token, client, more, error in
      transcript.note(
        "older end of \(zoneID.zoneName) \(token != nil) \(client == nil) \(more)", error)
    }
    operation.fetchRecordZoneChangesResultBlock = { transcript.note("end", $0) }
    operation.fetchRecordZoneChangesCompletionBlock = { transcript.note("older end", $0) }
    await database.carryOut(operation)
    #expect(
      Set(transcript.lines) == [
        "c []: done", "older c", "deleted a of Note", "end of one: done",
        "older end of one true true false: done",
        "end of absent: zoneNotFound", "older end of absent false true false: zoneNotFound",
        "end: done",
        "older end: partialFailure",
      ])
    #expect(transcript.lines.suffix(2) == ["end: done", "older end: partialFailure"])
    let lines = transcript.lines
    #expect(
      try #require(lines.firstIndex(of: "c []: done")) < #require(
        lines.firstIndex(of: "end of one: done")))
  }
}
