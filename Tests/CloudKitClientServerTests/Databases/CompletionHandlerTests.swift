import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import PredicateLanguage
import Testing

/// The results of the completion handlers of a database's methods, with the real server.
@Suite("Completion handlers of databases")
struct CompletionHandlerTests {
  private let cloud: TestCloud
  private let database: CKDatabase
  /// The database of a device without a signed-in user.
  private let signedOut: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")
  private let absent = CKRecordZone.ID(zoneName: "Absent")

  init() async throws {
    cloud = try await TestCloud()
    database = try await cloud.signIn("anna@example.com").container.privateCloudDatabase
    signedOut = cloud.device().container.privateCloudDatabase
  }

  private func note(_ name: String, _ stars: Int = 0) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    (record["title"], record["stars"]) = (name, stars)
    return record
  }

  // MARK: Zones

  @Test func `Zones are created, fetched and deleted`() async throws {
    let saved: (value: CKRecordZone?, error: CKError?) = await completion {
      database.save(zone, completionHandler: $0)
    }
    #expect(saved.value?.zoneID == zone.zoneID && saved.error == nil)
    let all = await completion { database.fetchAllRecordZones(completionHandler: $0) }
    #expect(
      all.value?.map(\.zoneID.zoneName).sorted() == ["Notes", "_defaultZone"] && all.error == nil)
    let one = await completion {
      database.fetch(withRecordZoneID: zone.zoneID, completionHandler: $0)
    }
    #expect(one.value?.capabilities.contains(.zoneWideSharing) == true && one.error == nil)
    let none = await completion { database.fetch(withRecordZoneID: absent, completionHandler: $0) }
    #expect(none.value == nil && none.error?.code == .zoneNotFound)
    let several = try await completionResult {
      database.fetch(withRecordZoneIDs: [zone.zoneID, absent], completionHandler: $0)
    }
    #expect(
      try several[zone.zoneID]?.get().zoneID == zone.zoneID
        && error(several[absent])?.code == .zoneNotFound)
    let byName = try await database.recordZones(for: [zone.zoneID, absent])
    #expect(
      try byName[zone.zoneID]?.get().zoneID == zone.zoneID
        && error(byName[absent])?.code == .zoneNotFound)
    let deleted = await completion {
      database.delete(withRecordZoneID: zone.zoneID, completionHandler: $0)
    }
    #expect(deleted.value == zone.zoneID && deleted.error == nil)
    let again = await completion {
      database.delete(withRecordZoneID: zone.zoneID, completionHandler: $0)
    }
    #expect(again.value == nil && again.error?.code == .zoneNotFound)
  }

  @Test func `Several zones are created and deleted, each with its result`() async throws {
    try await database.save(CKRecordZone(zoneName: "Old"))
    let old = CKRecordZone.ID(zoneName: "Old")
    let done = try await completionResult {
      database.modifyRecordZones(saving: [zone], deleting: [old, absent], completionHandler: $0)
    }
    #expect(try done.saveResults[zone.zoneID]?.get().zoneID == zone.zoneID)
    #expect(
      succeeded(done.deleteResults[old])
        && error(done.deleteResults[absent])?.code == .zoneNotFound)
    await #expect {
      try await completionResult {
        signedOut.modifyRecordZones(saving: [zone], deleting: [], completionHandler: $0)
      }
    } throws: { CKError.notAuthenticated ~= $0 }
  }

  // MARK: Records

  @Test func `Records are saved, fetched and deleted`() async throws {
    try await database.save(zone)
    let saved: (value: CKRecord?, error: CKError?) = await completion {
      database.save(note("one"), completionHandler: $0)
    }
    #expect(saved.value?.recordChangeTag != nil && saved.error == nil)
    let conflict: (value: CKRecord?, error: CKError?) = await completion {
      database.save(note("one"), completionHandler: $0)
    }
    #expect(conflict.value == nil && conflict.error?.code == .serverRecordChanged)
    #expect(conflict.error?.serverRecord?["title"] == "one" && conflict.error?.clientRecord != nil)
    let one = await completion {
      database.fetch(withRecordID: note("one").recordID, completionHandler: $0)
    }
    #expect(one.value?["title"] == "one")
    let names = [note("one").recordID, note("absent").recordID]
    let several = try await completionResult {
      database.fetch(withRecordIDs: names, desiredKeys: [], completionHandler: $0)
    }
    #expect(
      try several[names[0]]?.get().allKeys() == [] && error(several[names[1]])?.code == .unknownItem
    )
    let deleted = await completion {
      database.delete(withRecordID: names[0], completionHandler: $0)
    }
    #expect(deleted.value == names[0] && deleted.error == nil)
    let none = await completion { database.fetch(withRecordID: names[0], completionHandler: $0) }
    #expect(none.value == nil && none.error?.code == .unknownItem)
  }

  @Test func `Several records are saved and deleted, each with its result`() async throws {
    try await database.save(zone)
    try await database.save(note("there"))
    let whole = try await completionResult {
      database.modifyRecords(
        saving: [note("one"), note("two")], deleting: [], savePolicy: .ifServerRecordUnchanged,
        atomically: true,
        completionHandler: $0)
    }
    #expect(
      whole.saveResults.count == 2 && whole.saveResults.values.allSatisfy { succeeded($0) })
    let single = try await completionResult {
      database.modifyRecords(
        saving: [note("one")], deleting: [note("there").recordID], savePolicy: .allKeys,
        atomically: false,
        completionHandler: $0)
    }
    #expect(succeeded(single.saveResults[note("one").recordID]) && single.saveResults.count == 1)
    #expect(
      succeeded(single.deleteResults[note("there").recordID]) && single.deleteResults.count == 1)
  }

  // MARK: Queries

  @available(*, deprecated)
  @Test func `A query returns records and a cursor`() async throws {
    try await database.save(zone)
    _ = try await database.modifyRecords(saving: (0..<5).map { note("n\($0)", $0) }, deleting: [])
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "stars > 0"))
    query.sortDescriptors = [NSSortDescriptor(key: "stars", ascending: true)]
    let first = try await completionResult {
      database.fetch(
        withQuery: query, inZoneWith: zone.zoneID, desiredKeys: ["stars"], resultsLimit: 3,
        completionHandler: $0)
    }
    #expect(first.matchResults.map(\.0.recordName) == ["n1", "n2", "n3"])
    #expect(
      try first.matchResults.map { try $0.1.get().allKeys() } == [["stars"], ["stars"], ["stars"]])
    let cursor = try #require(first.queryCursor)
    let rest = try await completionResult {
      database.fetch(withCursor: cursor, desiredKeys: nil, resultsLimit: 3, completionHandler: $0)
    }
    #expect(rest.matchResults.map(\.0.recordName) == ["n4"] && rest.queryCursor == nil)
    let older = await completion {
      database.perform(query, inZoneWith: zone.zoneID, completionHandler: $0)
    }
    #expect(
      older.value?.map(\.recordID.recordName) == ["n1", "n2", "n3", "n4"] && older.error == nil)
    let refused = await completion {
      signedOut.perform(query, inZoneWith: nil, completionHandler: $0)
    }
    #expect(refused.value == nil && refused.error?.code == .notAuthenticated)
  }

  // MARK: Feeds

  @Test func `Feeds return changes, deletions and a token`() async throws {
    try await database.save(zone)
    let first = try await completionResult {
      database.fetchDatabaseChanges(since: nil, completionHandler: $0)
    }
    #expect(
      first.modifications.map(\.zoneID) == [zone.zoneID] && first.deletions.isEmpty
        && !first.moreComing)
    _ = try await database.modifyRecords(saving: [note("one"), note("two")], deleting: [])
    let records = try await completionResult {
      database.fetchRecordZoneChanges(
        inZoneWith: zone.zoneID, since: nil, desiredKeys: ["title"], resultsLimit: 1,
        completionHandler: $0)
    }
    #expect(records.modificationResultsByID.count == 1 && records.moreComing)
    #expect(
      try records.modificationResultsByID.values.map { try $0.get().record.allKeys() } == [
        ["title"]
      ])
    try await database.deleteRecord(withID: note("one").recordID)
    let rest = try await completionResult {
      database.fetchRecordZoneChanges(
        inZoneWith: zone.zoneID, since: records.changeToken, completionHandler: $0)
    }
    #expect(rest.deletions.map(\.recordID.recordName) == ["one"] && !rest.moreComing)
    try await database.deleteRecordZone(withID: zone.zoneID)
    let last = try await completionResult {
      database.fetchDatabaseChanges(
        since: first.changeToken, resultsLimit: 5, completionHandler: $0)
    }
    #expect(last.deletions.map(\.zoneID) == [zone.zoneID])
    await #expect {
      try await completionResult {
        database.fetchRecordZoneChanges(
          inZoneWith: zone.zoneID, since: rest.changeToken, completionHandler: $0)
      }
    } throws: { CKError.userDeletedZone ~= $0 }
  }

  // MARK: Subscriptions

  @Test func `Subscriptions are created, fetched and deleted`() async throws {
    let all = CKDatabaseSubscription(subscriptionID: "all")
    let saved: (value: CKSubscription?, error: CKError?) = await completion {
      database.save(all, completionHandler: $0)
    }
    #expect(saved.value?.subscriptionID == "all" && saved.error == nil)
    let one = await completion { database.fetch(withSubscriptionID: "all", completionHandler: $0) }
    #expect(one.value?.subscriptionType == .database)
    let none = await completion {
      database.fetch(withSubscriptionID: "absent", completionHandler: $0)
    }
    #expect(none.value == nil && none.error?.code == .unknownItem)
    let every = await completion { database.fetchAllSubscriptions(completionHandler: $0) }
    #expect(every.value?.map(\.subscriptionID) == ["all"])
    let several = try await completionResult {
      database.fetch(withSubscriptionIDs: ["all", "absent"], completionHandler: $0)
    }
    #expect(
      try several["all"]?.get().subscriptionID == "all"
        && error(several["absent"])?.code == .unknownItem)
    let byName = try await database.subscriptions(for: ["all", "absent"])
    #expect(
      try byName["all"]?.get().subscriptionID == "all"
        && error(byName["absent"])?.code == .unknownItem)
    let done = try await completionResult {
      database.modifySubscriptions(
        saving: [CKDatabaseSubscription(subscriptionID: "more")], deleting: ["absent"],
        completionHandler: $0)
    }
    #expect(
      succeeded(done.saveResults["more"])
        && error(done.deleteResults["absent"])?.code == .unknownItem)
    let ended = await completion {
      database.delete(withSubscriptionID: "all", completionHandler: $0)
    }
    #expect(ended.value == "all" && ended.error == nil)
    #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["more"])
    let refused = await completion { signedOut.fetchAllSubscriptions(completionHandler: $0) }
    #expect(refused.value == nil && refused.error?.code == .notAuthenticated)
  }

  // MARK: Databases

  @Test func `Each scope has one database object`() {
    let container = database.container
    for scope in [CKDatabase.Scope.private, .public, .shared] {
      #expect(container.database(with: scope).databaseScope == scope)
    }
    #expect(container.database(with: .private) == container.privateCloudDatabase)
    #expect(container.database(with: .private).hash == container.privateCloudDatabase.hash)
    #expect(
      container.privateCloudDatabase != container.sharedCloudDatabase
        && container.privateCloudDatabase != signedOut)
  }
}
