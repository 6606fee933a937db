import ClientTestSupport
import CloudKitClient
import CloudTransport
import CloudWire
import Foundation
import PredicateLanguage
import Synchronization
import Testing
import WatchedClouds

/// The asynchronous methods of databases, with the real server.
struct DatabaseTests {
  private let cloud: WatchedCloud
  private var database: CKDatabase { cloud.container("anna").privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private func note(_ name: String, _ title: String) -> CKRecord {
    let record = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record["title"] = title
    return record
  }

  // MARK: One record

  @Test func `A saved record has a tag, dates and a user, and can be fetched`() async throws {
    try await database.save(zone)
    let record = note("one", "Milk")
    record["count"] = 3
    let saved = try await database.save(record)
    #expect(saved === record && record.changedKeys().isEmpty)
    #expect(record.recordChangeTag != nil && record.creationDate != nil)
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    let fetched = try await database.record(for: record.recordID)
    #expect(fetched["title"] == "Milk" && fetched["count"] == 3)
    #expect(fetched.recordChangeTag == record.recordChangeTag)
    #expect(fetched.recordID == record.recordID)
  }

  @Test func `A missing record is an unknown item`() async throws {
    await #expect { try await database.record(for: CKRecord.ID(recordName: "absent")) } throws: {
      CKError.unknownItem ~= $0
    }
  }

  @Test func `A conflict has its three records`() async throws {
    try await database.save(zone)
    let first = try await database.save(note("one", "Milk"))
    let second = try await database.record(for: first.recordID)
    first["title"] = "Bread"
    try await database.save(first)
    second["title"] = "Wine"
    let error = await #expect(throws: CKError.self) { try await database.save(second) }
    #expect(error?.code == .serverRecordChanged)
    #expect(error?.clientRecord === second)
    #expect(error?.serverRecord?["title"] == "Bread")
    #expect(error?.ancestorRecord?["title"] == "Milk")
    #expect(second.changedKeys() == ["title"])
  }

  @Test func `A new record with an existing name is a conflict without an ancestor`() async throws {
    try await database.save(zone)
    try await database.save(note("one", "Milk"))
    let error = await #expect(throws: CKError.self) { try await database.save(note("one", "Wine")) }
    #expect(error?.code == .serverRecordChanged && error?.ancestorRecord == nil)
    #expect(error?.serverRecord?["title"] == "Milk")
  }

  @Test func `Changed keys are saved whatever the server has`() async throws {
    try await database.save(zone)
    let first = note("one", "Milk")
    first["count"] = 1
    try await database.save(first)
    let second = try await database.record(for: first.recordID)
    first["count"] = 2
    try await database.save(first)
    second["title"] = "Wine"
    let results = try await database.modifyRecords(
      saving: [second], deleting: [], savePolicy: .changedKeys)
    #expect(try results.saveResults[second.recordID]?.get() === second)
    let now = try await database.record(for: first.recordID)
    #expect(now["title"] == "Wine" && now["count"] == 2)
  }

  @Test func `A cleared field is gone`() async throws {
    try await database.save(zone)
    let record = try await database.save(note("one", "Milk"))
    record["title"] = nil
    try await database.save(record)
    let fetched = try await database.record(for: record.recordID)
    #expect(fetched.allKeys().isEmpty)
  }

  @Test func `A deleted record is gone`() async throws {
    try await database.save(zone)
    let record = try await database.save(note("one", "Milk"))
    #expect(try await database.deleteRecord(withID: record.recordID) == record.recordID)
    await #expect { try await database.record(for: record.recordID) } throws: {
      CKError.unknownItem ~= $0
    }
  }

  // MARK: Batches

  @Test func `A zone's records are saved atomically`() async throws {
    try await database.save(zone)
    try await database.save(note("there", "Milk"))
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(
        saving: [note("one", "1"), note("there", "Wine"), note("two", "2")], deleting: [])
    }
    let codes = ["one", "there", "two"].map { code(of: $0, in: failure) }
    #expect(codes == [.batchRequestFailed, .serverRecordChanged, .batchRequestFailed])
    await #expect {
      try await database.record(for: CKRecord.ID(recordName: "one", zoneID: zone.zoneID))
    } throws: {
      CKError.unknownItem ~= $0
    }
  }

  @Test func `Records are saved one by one on request`() async throws {
    try await database.save(zone)
    try await database.save(note("there", "Milk"))
    let results = try await database.modifyRecords(
      saving: [note("one", "1"), note("there", "Wine")], deleting: [], atomically: false)
    #expect(succeeded(results.saveResults[CKRecord.ID(recordName: "one", zoneID: zone.zoneID)]))
    #expect(
      error(results.saveResults[CKRecord.ID(recordName: "there", zoneID: zone.zoneID)])?.code
        == .serverRecordChanged)
  }

  @Test func `A record that is named twice is rejected`() async throws {
    let record = note("one", "Milk")
    await #expect {
      try await database.modifyRecords(saving: [record], deleting: [record.recordID])
    } throws: {
      CKError.invalidArguments ~= $0
    }
  }

  @Test func `A missing zone is reported for each record`() async throws {
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [note("one", "1")], deleting: [])
    }
    #expect(code(of: "one", in: failure) == .zoneNotFound)
  }

  /// The code of a record in a partial failure.
  private func code(of name: String, in failure: CKError?) -> CKError.Code? {
    let error = failure?.partialErrorsByItemID?[CKRecord.ID(recordName: name, zoneID: zone.zoneID)]
    return failure?.code == .partialFailure ? (error as? CKError)?.code : nil
  }

  @Test func `More records than a request holds are sent in several`() async throws {
    try await database.save(zone)
    let many = (0..<450).map { note("n\($0)", "\($0)") }
    cloud.asked.withLock { $0 = [] }
    let results = try await database.modifyRecords(saving: many, deleting: [], atomically: false)
    #expect(
      results.saveResults.count == 450 && results.saveResults.values.allSatisfy { succeeded($0) }
    )
    let fetched = try await database.records(for: many.map(\.recordID))
    #expect(fetched.count == 450 && fetched.values.allSatisfy { succeeded($0) })
    let requests = cloud.asked.withLock(\.self).filter { $0.hasPrefix("records") }
    #expect(requests.count == 6)
  }

  @Test func `An atomic batch that is too large fails for each record`() async throws {
    try await database.save(zone)
    let most = (0..<400).map { note("m\($0)", "\($0)") }
    #expect(await finish(CKModifyRecordsOperation(recordsToSave: most), database) == nil)
    let many = (0..<401).map { note("n\($0)", "\($0)") }
    let reported = Mutex<[CKError.Code?]>([])
    let operation = CKModifyRecordsOperation(recordsToSave: many)
    operation.perRecordSaveBlock = { _, result in
      reported.withLock { $0.append(error(result)?.code) }
    }
    let end = await finish(operation, database)
    #expect(end?.code == .limitExceeded)
    let codes = reported.withLock(\.self)
    #expect(codes == [CKError.Code?](repeating: .limitExceeded, count: 401))
  }

  @Test func `A failure in one zone does not stop saves in another`() async throws {
    let garden = CKRecordZone(zoneName: "Garden")
    _ = try await database.modifyRecordZones(saving: [zone, garden], deleting: [])
    let many = (0..<401).map { note("n\($0)", "\($0)") }
    let rose = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "rose", zoneID: garden.zoneID))
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: many + [rose], deleting: [])
    }
    #expect(failure?.partialErrorsByItemID?.count == 401)
    #expect(many.allSatisfy { code(of: $0.recordID.recordName, in: failure) == .limitExceeded })
    #expect(try await database.record(for: rose.recordID).recordChangeTag == rose.recordChangeTag)
  }

  // MARK: Assets

  private func file(_ size: Int) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "asset-\(UUID().uuidString)")
    try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: url)
    return url
  }

  @Test func `A file is uploaded and downloaded with its record`() async throws {
    try await database.save(zone)
    let url = try file(300_000)
    defer { try? FileManager.default.removeItem(at: url) }
    let record = note("one", "Milk")
    record["picture"] = CKAsset(fileURL: url)
    record["pages"] = [CKAsset(fileURL: url), CKAsset(fileURL: url)]
    try await database.save(record)
    #expect(record.changedKeys().isEmpty)
    let fetched = try await database.record(for: record.recordID)
    let picture: CKAsset = try #require(fetched["picture"])
    let path = try #require(picture.fileURL)
    #expect(try Data(contentsOf: path) == Data(contentsOf: url) && path != url)
    let pages: [CKAsset] = try #require(fetched["pages"])
    #expect(pages.count == 2 && pages.allSatisfy { $0.fileURL != nil })
    let bare = try await database.records(for: [record.recordID], desiredKeys: ["title"])
    #expect(try bare[record.recordID]?.get().allKeys() == ["title"])
    // An unchanged file is not uploaded again.
    cloud.asked.withLock { $0 = [] }
    fetched["title"] = "Bread"
    try await database.save(fetched)
    #expect(cloud.asked.withLock(\.self) == ["users/caller", "records/modify"])
  }

  @Test func `A missing file is reported, and the rest is saved if not atomic`() async throws {
    try await database.save(zone)
    let record = note("one", "Milk")
    record["picture"] = CKAsset(fileURL: URL(filePath: "/nowhere/at/all"))
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [record, note("two", "2")], deleting: [])
    }
    #expect(
      code(of: "one", in: failure) == .assetFileNotFound
        && code(of: "two", in: failure) == .batchRequestFailed)
    let single = try await database.modifyRecords(
      saving: [record, note("two", "2")], deleting: [], atomically: false)
    let codes = single.saveResults.values.compactMap { error($0)?.code }
    #expect(codes == [.assetFileNotFound])
    #expect(succeeded(single.saveResults[note("two", "2").recordID]))
  }

  // MARK: Bad networks

  private static let lost = TransportError(.broken, "The connection broke.", mayHaveArrived: true)

  @Test func `A request repeated after a lost answer saves the record once`() async throws {
    try await database.save(zone)
    for whole in [true, false] {
      let record = note("one-\(whole)", "Milk")
      try await loseAnswer(of: "records/modify")
      let results = try await database.modifyRecords(
        saving: [record, note("two-\(whole)", "Bread")], deleting: [], atomically: whole)
      #expect(results.saveResults.values.allSatisfy { error($0) == nil }, "\(results.saveResults)")
      #expect(record.recordChangeTag != nil && record.changedKeys().isEmpty)
      record["title"] = "Wine"
      try await database.save(record)
    }
  }

  @Test func `A retried request keeps its number, and the next one acknowledges it`() async throws {
    let database = database
    try await database.save(zone)
    cloud.stamps.withLock { $0 = [] }
    try await loseAnswer(of: "records/modify")
    try await database.save(note("one", "Milk"))
    _ = try await database.record(for: note("one", "Milk").recordID)
    try await database.save(note("two", "Bread"))
    let stamps = cloud.stamps.withLock(\.self)
    let number = try #require(stamps.first?.number)
    #expect(stamps.map(\.number) == [number, number, number + 1])
    #expect(
      stamps.map(\.oldest) == [number, number, number + 1] && Set(stamps.map(\.client)).count == 1)
  }

  private func loseAnswer(of endpoint: String) async throws {
    let isDone = FirstCall()
    cloud.injectedFault.withLock {
      $0 = { asked in asked == endpoint && isDone.first() ? .answerLost(Self.lost) : .none }
    }
  }

  private static let forces = [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys]

  /// The answer is lost, and another device saves the record before the request is repeated.
  @Test(arguments: forces)
  func `A forced save with a lost answer does not undo later saves of others`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await database.save(zone)
    let record = try await database.save(note("one", "Milk"))
    let others = cloud.container("anna").privateCloudDatabase
    record["title"] = "Bread"
    let (loss, isSaved) = (FirstCall(), FirstCall())
    cloud.injectedFault.withLock {
      $0 = { asked in asked == "records/modify" && loss.first() ? .answerLost(Self.lost) : .none }
    }
    cloud.between.withLock {
      $0 = { asked in
        guard asked == "records/lookup", isSaved.first() else { return }
        do {
          let newer = try await others.record(for: record.recordID)
          newer["title"] = "Wine"
          try await others.save(newer)
        } catch {
          Issue.record(error)
        }
      }
    }
    let failure = await #expect(throws: CKError.self) {
      try await database.modifyRecords(saving: [record], deleting: [], savePolicy: policy)
    }
    let conflict = try #require(failure?.partialErrorsByItemID?[record.recordID] as? CKError)
    #expect(conflict.code == .serverRecordChanged && conflict.serverRecord?["title"] == "Wine")
    #expect(try await others.record(for: record.recordID)["title"] == "Wine")
  }

  @Test(arguments: forces)
  func `A forced save is repeated if it did not arrive, and done if it did`(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws {
    try await database.save(zone)
    let gateway = TransportResponse(status: 502, body: Array("<html>".utf8))
    let faults = [
      WatchedCloud.InjectedFault.lost(Self.lost), .answerLost(Self.lost), .answer(gateway),
    ]
    for (number, injectedFault) in faults.enumerated() {
      for whole in [true, false] {
        let (old, gone) = (
          note("old\(number)\(whole)", "Milk"), note("gone\(number)\(whole)", "Milk")
        )
        _ = try await database.modifyRecords(saving: [old, gone], deleting: [])
        let new = note("new\(number)\(whole)", "Milk")
        old["title"] = "Bread"
        let isDone = FirstCall()
        cloud.injectedFault.withLock {
          $0 = { asked in asked == "records/modify" && isDone.first() ? injectedFault : .none }
        }
        let results = try await database.modifyRecords(
          saving: [old, new], deleting: [gone.recordID], savePolicy: policy, atomically: whole)
        #expect(
          results.saveResults.values.allSatisfy { error($0) == nil }, "\(results.saveResults)")
        #expect(
          results.deleteResults.values.allSatisfy { error($0) == nil }, "\(results.deleteResults)")
        #expect(try await database.record(for: old.recordID)["title"] == "Bread")
        #expect(try await database.record(for: new.recordID)["title"] == "Milk")
        await #expect { try await database.record(for: gone.recordID) } throws: {
          CKError.unknownItem ~= $0
        }
        new["title"] = "Wine"
        try await database.save(new)
      }
    }
  }

  @Test func `Another device's record is a conflict even after a lost answer`() async throws {
    try await database.save(zone)
    try await database.save(note("one", "Milk"))
    try await loseAnswer(of: "records/modify")
    await #expect { try await database.save(note("one", "Wine")) } throws: {
      CKError.serverRecordChanged ~= $0
    }
  }

  /// The first request never arrives, and another device of the user saved the existing record.
  @Test func `A changed parent or share permission alone does not count as saved`() async throws {
    try await database.save(zone)
    let (parent, child) = (note("parent", "Food"), note("child", "Milk"))
    let share = CKShare(rootRecord: parent)
    _ = try await database.modifyRecords(saving: [parent, share, child], deleting: [])
    for (record, change) in [
      (child, { $0.parent = CKRecord.Reference(recordID: parent.recordID, action: .none) }),
      (share, { ($0 as? CKShare)?.publicPermission = .readOnly }),
    ] as [(CKRecord, (CKRecord) -> Void)] {
      let newer = try await database.record(for: record.recordID)
      newer["title"] = "Wine"
      try await database.save(newer)
      change(record)
      let isLost = FirstCall()
      cloud.injectedFault.withLock {
        $0 = { asked in asked == "records/modify" && isLost.first() ? .lost(Self.lost) : .none }
      }
      await #expect { try await database.save(record) } throws: {
        CKError.serverRecordChanged ~= $0
      }
    }
  }

  @Test func `Requests that do not arrive are retried, and finally fail`() async throws {
    cloud.injectedFault.withLock { $0 = { _ in .lost(TransportError(.offline, "No network.")) } }
    await #expect { try await database.allRecordZones() } throws: {
      CKError.networkUnavailable ~= $0
    }
    #expect(cloud.asked.withLock(\.count) == 4)
  }

  @Test(arguments: [
    (
      429, #"{"serverErrorCode":"THROTTLED","reason":"slow","retryAfter":2}"#, 4,
      CKError.Code.requestRateLimited
    ),
    (503, #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"busy"}"#, 4, .serviceUnavailable),
    (503, "<html>", 4, .serviceUnavailable),
    (
      429, #"{"serverErrorCode":"THROTTLED","reason":"slow","retryAfter":600}"#, 1,
      .requestRateLimited
    ),
    (401, #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"no"}"#, 1, .notAuthenticated),
    (404, "<html>", 1, .invalidArguments),
    (413, "<html>", 1, .limitExceeded),
    (200, "<html><title>Welcome to our hotel</title>", 1, .networkFailure),
  ])
  func `Errors of whole requests are reported`(
    _ status: Int, _ body: String, _ requests: Int, _ code: CKError.Code
  ) async throws {
    cloud.injectedFault.withLock {
      $0 = { _ in .answer(TransportResponse(status: status, body: Array(body.utf8))) }
    }
    let error = await #expect(throws: CKError.self) {
      try await cloud.container("anna").userRecordID()
    }
    #expect(error?.code == code)
    #expect(cloud.asked.withLock(\.count) == requests)
    if body.contains("600") { #expect(error?.retryAfterSeconds == 600) }
  }

  // MARK: Changes

  @Test func `Changes since a token are returned`() async throws {
    try await database.save(zone)
    let start = try await database.databaseChanges(since: nil)
    #expect(start.modifications.map(\.zoneID).contains(zone.zoneID))
    let one = try await database.save(note("one", "Milk"))
    let first = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    #expect(try first.modificationResultsByID[one.recordID]?.get().record["title"] == "Milk")
    try await database.deleteRecord(withID: one.recordID)
    let second = try await database.recordZoneChanges(
      inZoneWith: zone.zoneID, since: first.changeToken)
    #expect(
      second.modificationResultsByID.isEmpty && second.deletions.map(\.recordID) == [one.recordID])
    #expect(second.deletions.map(\.recordType) == ["Note"])
    let moved = try await database.databaseChanges(since: start.changeToken)
    #expect(moved.modifications.map(\.zoneID) == [zone.zoneID])
    try await database.deleteRecordZone(withID: zone.zoneID)
    let gone = try await database.databaseChanges(since: moved.changeToken)
    #expect(
      gone.deletions.map(\.zoneID) == [zone.zoneID] && gone.deletions.map(\.reason) == [.deleted])
  }

  @Test func `The public database has no changes`() async throws {
    let database = cloud.container("anna").publicCloudDatabase
    await #expect { try await database.databaseChanges(since: nil) } throws: {
      CKError.badDatabase ~= $0
    }
  }

  // MARK: Queries

  @Test func `A query returns matching records page by page`() async throws {
    try await database.save(zone)
    let many = (0..<25).map { note("n\($0)", "\($0 % 5)") }
    for (place, record) in many.enumerated() { record["place"] = place }
    _ = try await database.modifyRecords(saving: many, deleting: [])
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "place >= 5"))
    query.sortDescriptors = [NSSortDescriptor(key: "place", ascending: false)]
    var (found, cursor) = try await database.records(
      matching: query, inZoneWith: zone.zoneID, resultsLimit: 8)
    var places = try found.map { try $0.1.get()["place"] as Int? }
    while let next = cursor {
      (found, cursor) = try await database.records(continuingMatchFrom: next, resultsLimit: 8)
      places += try found.map { try $0.1.get()["place"] as Int? }
    }
    #expect(places == (5..<25).reversed().map { Optional($0) })
    let none = CKQuery(
      recordType: "Note", predicate: NSPredicate(format: "place > 3 OR title == 'x'"))
    await #expect { try await database.records(matching: none) } throws: {
      CKError.invalidArguments ~= $0
    }
  }

  // MARK: Subscriptions

  @Test func `Subscriptions are saved, fetched and deleted`() async throws {
    try await database.save(zone)
    let note = note("one", "Milk")
    note["tags"] = ["home"]
    try await database.save(note)
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(format: "title == 'Milk' AND 'home' IN tags"),
      subscriptionID: "query",
      options: [.firesOnRecordCreation, .firesOnce])
    query.zoneID = zone.zoneID
    query.notificationInfo = CKSubscription.NotificationInfo(
      alertBody: "a", alertLocalizationKey: "b", alertLocalizationArgs: ["c"], title: "d",
      titleLocalizationKey: "e",
      titleLocalizationArgs: ["f"], subtitle: "g", subtitleLocalizationKey: "h",
      subtitleLocalizationArgs: ["i"],
      alertActionLocalizationKey: "j", alertLaunchImage: "k", soundName: "l", desiredKeys: ["m"],
      shouldBadge: true,
      shouldSendContentAvailable: true, shouldSendMutableContent: true, category: "n",
      collapseIDKey: "title")
    let all: [CKSubscription] = [
      query, CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone"),
      CKDatabaseSubscription(subscriptionID: "database"),
    ]
    let results = try await database.modifySubscriptions(saving: all, deleting: [])
    #expect(results.saveResults.values.allSatisfy { error($0) == nil }, "\(results.saveResults)")
    let fetched = try await database.allSubscriptions()
    #expect(Set(fetched.map(\.subscriptionID)) == ["query", "zone", "database"])
    let same = try #require(try await database.subscription(for: "query") as? CKQuerySubscription)
    #expect(same.predicate.formatText == query.predicate.formatText)
    #expect(
      same.querySubscriptionOptions == query.querySubscriptionOptions && same.zoneID == zone.zoneID)
    #expect(same.notificationInfo == query.notificationInfo)
    try await database.deleteSubscription(withID: "query")
    await #expect { try await database.subscription(for: "query") } throws: {
      CKError.unknownItem ~= $0
    }
  }

  // MARK: Shares

  @Test func `A shared record is visible to users who accept`() async throws {
    try await database.save(zone)
    let note = note("one", "Milk")
    let share = CKShare(rootRecord: note)
    share[CKShare.SystemFieldKey.title] = "Shopping"
    share.publicPermission = .readWrite
    _ = try await database.modifyRecords(saving: [note, share], deleting: []).saveResults.mapValues
    { try $0.get() }
    let url = try #require(share.url)
    let bob = cloud.container("bob")
    let metadata = try await bob.shareMetadata(for: url)
    #expect(metadata.share[CKShare.SystemFieldKey.title] == "Shopping")
    #expect(metadata.hierarchicalRootRecordID?.recordName == "one")
    #expect(metadata.participantStatus != .accepted)
    let accepted = try await bob.accept(metadata)
    #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
    let zones = try await bob.sharedCloudDatabase.allRecordZones()
    #expect(
      zones.map(\.zoneID) == [CKRecordZone.ID(zoneName: "Notes", ownerName: cloud.name("anna"))])
    let theirs = try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "one", zoneID: zones[0].zoneID))
    #expect(
      theirs["title"] == "Milk" && theirs.creatorUserRecordID?.recordName == cloud.name("anna"))
    theirs["title"] = "Bread"
    try await bob.sharedCloudDatabase.save(theirs)
    #expect(try await database.record(for: note.recordID)["title"] == "Bread")
  }

  @Test func `Users invited while a share is being saved stay invited`() async throws {
    try await database.save(zone)
    let share = try #require(
      try await database.save(CKShare(recordZoneID: zone.zoneID)) as? CKShare)
    let bob = try await cloud.container("anna").shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: cloud.name("bob")))
    share["title"] = "Ours"
    cloud.injectedFault.withLock {
      $0 = { asked in
        if asked == "records/modify", share.participants.count == 1 { share.addParticipant(bob) }
        return .none
      }
    }
    try await database.save(share)
    #expect(
      share.participants.count == 2 && share.participants.last?.userIdentity == bob.userIdentity)
    try await database.save(share)
    let fetched = try await database.record(for: share.recordID)
    #expect((fetched as? CKShare)?.participants.count == 2)
    // A permission is a change of the share, too.
    share.participants[1].permission = .readWrite
    try await database.save(share)
    let changed = try await database.record(for: share.recordID) as? CKShare
    #expect(changed?.participants.last?.permission == .readWrite)
  }

  // MARK: Accounts

  @Test func `A signed-in user's account is available, an unknown container is an error`()
    async throws
  {
    #expect(try await cloud.container("anna").accountStatus() == .available)
    #expect(try await cloud.container("anna").userRecordID().recordName == cloud.name("anna"))
    let unknown = CKContainer(identifier: "iCloud.nowhere")
    await #expect { try await unknown.accountStatus() } throws: { CKError.missingEntitlement ~= $0 }
  }
}

/// Distinguishes the first call from all others.
final class FirstCall: Sendable {
  private let isDone = Mutex(false)

  func first() -> Bool {
    isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
  }
}
