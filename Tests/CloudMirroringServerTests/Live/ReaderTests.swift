import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import SQLiteDriver
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Which users saw which records of a public database, if several users use one store in turn.
@Suite("Readers of a public database", .endsAtAll)
struct ReaderTests {
  @Test
  func `An acknowledged record counts as seen by its creator, however the program ends`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await cloud.signIn("ada")
      let device = try await Device(ada, in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let pool = device.engine.ledger.store.pool
      try pool.write {
        try $0.execute(
          "CREATE TRIGGER STOP BEFORE UPDATE OF readers ON PHM_OBJECT_SYSTEM BEGIN SELECT RAISE(ABORT, 'It ends here.'); END"
        )
      }
      try await device.add("Person", ["name": "Bob"])
      #expect(await device.engine.exportOnce().failure != nil)
      let record = RecordIdentifier(
        try #require(device.container.recordID(for: try await device.person("Bob"))))
      #expect(try device.engine.ledger.subjects(of: [record])[record]?.tag == nil)
      try pool.write { try $0.execute("DROP TRIGGER STOP") }
      try await device.sync()
      #expect(try device.engine.ledger.received([record], to: ada.userRecordName) == [record])
      try device.close()
    }
  }

  @Test
  func `A record known to its creator only through a conflict counts as seen`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await cloud.signIn("ada")
      let device = try await Device(ada, in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      for _ in 0..<2 { try await device.sync() }
      // Bob's record has the time of the cursor, so a listing of later records does not include it.
      try await device.add("Person", ["name": "Bob"])
      ada.network.inject(
        .lostResponse, .noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork)
      #expect(await device.engine.exportOnce().failure?.kind == .offline)
      ada.network.heal()
      try await device.sync()
      let record = RecordIdentifier(
        try #require(device.container.recordID(for: try await device.person("Bob"))))
      #expect(try device.engine.ledger.received([record], to: ada.userRecordName) == [record])
      try await other.sync()
      try await other.delete("Bob")
      try await other.sync()
      try await cloud.letDaysGoBy(2, device)
      #expect(try await device.names() == ["Ada"])
      for one in [device, other] { try one.close() }
    }
  }

  @Test
  func `Other users' records are stored only together with the note of their reader`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      for name in ["Ada", "Cyd"] { try await ada.add("Person", ["name": name]) }
      for one in [bob, ada] { try await one.sync() }
      let pool = bob.engine.ledger.store.pool
      try pool.write {
        try $0.execute(
          "CREATE TRIGGER STOP BEFORE UPDATE OF readers ON PHM_OBJECT_SYSTEM BEGIN SELECT RAISE(ABORT, 'It ends here.'); END"
        )
      }
      #expect(await bob.engine.importOnce().failure != nil)
      try pool.write { try $0.execute("DROP TRIGGER STOP") }
      try await ada.delete("Cyd")
      try await ada.sync()
      try await cloud.letDaysGoBy(2, bob)
      #expect(try await bob.names() == ["Ada"])
      for one in [ada, bob] { try one.close() }
    }
  }

  @Test
  func `A reader of other users' records learns of deletions seen only by a former user`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Cyd"] { try await device.add("Person", ["name": name]) }
      for one in [device, other] { try await one.sync() }
      try await other.delete("Cyd")
      try await other.sync()
      try device.signIn(try await cloud.signIn("bob"))
      try await device.sync()
      try await cloud.letDaysGoBy(2, device)
      #expect(try await device.names() == ["Ada"])
      for one in [device, other] { try one.close() }
    }
  }

  @Test
  func `A reader of their own records learns of deletions seen only by another user`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Cyd"] { try await other.add("Person", ["name": name]) }
      for one in [other, device] { try await one.sync() }
      try await other.delete("Cyd")
      try await other.sync()
      try device.signIn(try await cloud.signIn("ada"))
      try await device.sync()
      try await cloud.letDaysGoBy(2, device)
      #expect(try await device.names() == ["Ada"])
      for one in [device, other] { try one.close() }
    }
  }

  @Test
  func `Other answers count even if read permissions cannot be checked`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, scope: .public, through: transport)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      try await other.sync()
      try await other.change("Ada", ["age": 36])
      try await other.sync()
      try await device.change("Ada", ["email": "ada@example.com"])
      try await device.add("Town", ["name": "London"])
      let lookups = Requests()
      transport.watch { request in
        // The first lookup is for the record in conflict.
        if request.address.contains("records/lookup"), lookups.next() > 1 {
          signedIn.network.isOnline = false
        }
      }
      #expect(await device.engine.exportOnce().failure?.kind == .offline)
      #expect(try await device.value("Ada", "age") == "36")
      transport.watch(nil)
      signedIn.network.isOnline = true
      try await device.sync()
      try await other.sync()
      #expect(try await other.value("Ada", "email") == "ada@example.com")
      #expect(try await device.text() == other.text())
      #expect(device.container.syncState.isUpToDate)
      try device.close()
      try other.close()
    }
  }

  @Test func `Changing another user's record does not count as having seen it`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "WRITE, CREATE TO \"_icloud\""])
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      try device.signIn(bob)
      try await device.sync()
      try await device.add("Person", ["name": "Bob"])
      try await device.sync()
      try await device.change("Ada", ["email": "by Bob"])
      try await device.sync()
      try await cloud.letDaysGoBy(2, device)
      #expect(try await device.names() == ["Ada", "Bob"])
      #expect(device.container.syncState.isUpToDate)
      try device.close()
    }
  }

  @Test func `Whether users may read their own records is checked once a day`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["CREATE TO \"_icloud\""])
      let ada = try await cloud.signIn("ada")
      let transport = WatchedTransport(ada.transport)
      let device = try await Device(ada, in: folder, scope: .public, through: transport)
      let lookups = Requests()
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      transport.watch { if $0.address.contains("records/lookup") { _ = lookups.next() } }
      for name in ["Bob", "Cyd"] {
        try await device.add("Person", ["name": name])
        for step in [MirrorStep.importing, .exporting] {
          #expect(await device.engine.run(step).failure == nil)
        }
      }
      #expect(lookups.next() == 1, "No lookup was sent.")
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      try await cloud.letDaysGoBy(1, device)
      try await device.add("Person", ["name": "Dan"])
      #expect(await device.engine.exportOnce().failure == nil)
      let record = RecordIdentifier(
        try #require(device.container.recordID(for: try await device.person("Dan"))))
      #expect(try device.engine.ledger.received([record], to: ada.userRecordName) == [record])
      try device.close()
    }
  }

  @Test func `Records that never become objects are not fetched daily`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await cloud.signIn("ada")
      let transport = WatchedTransport(ada.transport)
      let device = try await Device(ada, in: folder, scope: .public, through: transport)
      let strange = CKRecord(recordType: "CD_Person", recordID: CKRecord.ID(recordName: "strange"))
      strange["CD_entityName"] = "Nobody"
      let database = try await cloud.signIn("ada").container.publicCloudDatabase
      try await database.save(strange)
      try await device.sync()
      try await cloud.letDaysGoBy(1, device)
      let lookups = Requests()
      transport.watch { if $0.address.contains("records/lookup") { _ = lookups.next() } }
      try await cloud.letDaysGoBy(2, device)
      #expect(lookups.next() == 1, "No lookup was sent.")
      strange["CD_name"] = "Eve"
      strange["CD_entityName"] = "Person"
      try await database.save(strange)
      try await device.sync()
      #expect(try await device.names() == ["Eve"])
      try device.close()
    }
  }

  @Test
  func `Objects that only a former user may read stay while another user uses the store`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Cyd"] { try await device.add("Person", ["name": name]) }
      for one in [device, other, device] { try await one.sync() }
      try device.signIn(bob)
      try await device.sync()
      try await device.add("Person", ["name": "Bob"])
      try await device.sync()
      try await cloud.letDaysGoBy(3, device)
      #expect(try await device.names() == ["Ada", "Bob", "Cyd"])
      #expect(device.container.syncState.isUpToDate)
      try await other.delete("Cyd")
      try await other.sync()
      try device.signIn(ada)
      try await device.sync()
      try await cloud.letDaysGoBy(2, device)
      #expect(
        try await device.names() == ["Ada", "Bob"],
        "A deletion removes the object for users who had received it.")
      #expect(device.container.syncState.isUpToDate)
      for one in [device, other] { try one.close() }
    }
  }

  @Test func `Records that no user may read stay with their creator`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["CREATE TO \"_icloud\""])
      let device = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      try await cloud.letDaysGoBy(3, device)
      #expect(try await device.names() == ["Ada"])
      try device.close()
    }
  }

  @Test func `Existing records arrive once a user may read them`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await cloud.letDaysGoBy(1, bob)
      try await bob.add("Person", ["name": "Bob"])
      for _ in 0..<2 { try await bob.sync() }
      try await cloud.grantOnPeople([
        "READ TO \"_world\"", "WRITE TO \"_creator\"", "CREATE TO \"_icloud\"",
      ])
      try await cloud.letDaysGoBy(2, bob)
      #expect(try await bob.names() == ["Ada", "Bob"])
      let downloads = bob.network.requestCount
      try await cloud.letDaysGoBy(1, bob)
      let requests = bob.network.requestCount - downloads
      try await cloud.letDaysGoBy(1, bob)
      #expect(bob.network.requestCount - downloads == 2 * requests)
      for one in [ada, bob] { try one.close() }
    }
  }

  @Test func `Objects that only their user may read stay while no user is signed in`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      let signedIn = try await cloud.signIn("ada")
      let device = try await Device(signedIn, in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      for one in [device, other] { try await one.sync() }
      let binding = try device.engine.mirror.container.binding()
      try binding.setCredentials(.program(apiToken: signedIn.apiToken))
      for seconds in [1_801, 86_401, 86_401] {
        try await cloud.advance(by: .seconds(seconds))
        device.engine.note(.timer)
        while await device.engine.runNextStep() != nil {}
        #expect(try await device.names() == ["Ada"])
      }
      try await other.change("Ada", ["email": "new"])
      try await other.sync()
      try device.signIn(signedIn)
      try await device.sync()
      #expect(try await device.value("Ada", "email") == "new")
      #expect(device.container.syncState.isUpToDate)
      // Deletions are noticed again.
      try await other.delete("Ada")
      try await other.sync()
      try await cloud.advance(by: .seconds(86_401))
      try await device.sync()
      #expect(try await device.names().isEmpty)
      for one in [device, other] { try one.close() }
    }
  }

  @Test func `The present user's permissions do not depend on the former user's`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder, scope: .public)
      let binding = try device.engine.mirror.container.binding()
      let people = [("Ada", ada), ("Bob", bob)]
      for (name, user) in people {
        try device.signIn(user)
        try await device.sync()
        try await device.add("Person", ["name": name])
        try await device.sync()
      }
      func changeable() async throws -> [String] {
        var names: [String] = []
        for (name, _) in people {
          let person = try await device.person(name)
          let record = device.container.record(for: person)
          let isOwn = record?.creatorUserRecordID?.recordName == CKCurrentUserDefaultName
          #expect(isOwn == device.container.canUpdateRecord(forManagedObjectWith: person))
          #expect(isOwn == device.container.canDeleteRecord(forManagedObjectWith: person))
          if isOwn { names.append(name) }
        }
        return names
      }
      #expect(try await changeable() == ["Bob"])
      try binding.setCredentials(.program(apiToken: ada.apiToken))
      try await device.sync()
      #expect(try await changeable() == [])
      try device.signIn(ada)
      try await device.sync()
      #expect(try await changeable() == ["Ada"])
      try device.close()
    }
  }

  // MARK: Without a user

  @Test func `Objects received while signed out are removed after a sign-in if they were deleted`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let bob = try await cloud.signIn("bob")
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Cyd"] { try await ada.add("Person", ["name": name]) }
      try await ada.sync()
      let device = try await Device(cloud.device(), in: folder, scope: .public)
      try await device.sync()
      #expect(try await device.names() == ["Ada", "Cyd"])
      try await ada.delete("Cyd")
      try await ada.sync()
      try device.signIn(bob)
      try await cloud.letDaysGoBy(3, device)
      #expect(try await device.names() == ["Ada"])
      for one in [ada, device] { try one.close() }
    }
  }

  @Test
  func `A read started while signed out stays anonymous if a user signs in meanwhile`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (bob, nobody) = (try await cloud.signIn("bob"), cloud.device())
      let transport = WatchedTransport(nobody.transport)
      let device = try await Device(nobody, in: folder, scope: .public, through: transport)
      try await device.sync()
      let (requests, ofBob) = (Requests(), Requests())
      transport.watch { request in
        if request.address.contains("ckWebAuthToken") { _ = ofBob.next() }
        if requests.next() == 1 { do { try device.signIn(bob) } catch { Issue.record(error) } }
      }
      #expect(await device.engine.importOnce().failure == nil)
      #expect(requests.next() > 2)
      #expect(ofBob.next() == 1, "No request was sent in Bob's name.")
      transport.watch(nil)
      try device.close()
    }
  }

  /// From now on the server rejects all sessions of users.
  private func refuseSessions(_ transport: WatchedTransport) {
    let isOfUser = Atomic(false)
    let refusal = TransportResponse(
      status: 421, headers: [("Content-Type", "application/json")],
      body: Array(
        #"{"uuid": "1", "serverErrorCode": "AUTHENTICATION_REQUIRED", "reason": "Sign in."}"#.utf8))
    transport.watch { isOfUser.store($0.address.contains("ckWebAuthToken"), ordering: .relaxed) }
    transport.alter { isOfUser.load(ordering: .relaxed) ? refusal : $0 }
  }

  @Test(arguments: [true, false])
  func `If the server rejects a session, public records are still read`(isAmidImport: Bool)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await cloud.signIn("bob")
      let transport = WatchedTransport(bob.transport)
      let device = try await Device(bob, in: folder, scope: .public, through: transport)
      try await device.add("Person", ["name": "Bob"])
      try await device.sync()
      try await other.add("Person", ["name": "Ada"])
      try await other.sync()
      refuseSessions(transport)
      if !isAmidImport { device.engine.note(.accountChanged) }
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      #expect(blocker?.code == .signInAgain)
      #expect(try await device.names() == ["Ada", "Bob"])
      try await device.add("Person", ["name": "Dan"])
      try await other.delete("Ada")
      try await other.sync()
      // The store polls as days pass.
      for _ in 0..<2 {
        try await cloud.advance(by: .seconds(86_401))
        device.engine.note(.timer)
        while await device.engine.runNextStep() != nil {}
      }
      #expect(try await device.names() == ["Bob", "Dan"])
      transport.watch(nil)
      transport.alter(nil)
      // The first sync finds that the session is valid again.
      for _ in 0..<2 { try await device.sync() }
      #expect(device.container.syncState.isUpToDate)
      #expect(try await device.names() == ["Bob", "Dan"])
      for one in [other, device] { try one.close() }
    }
  }

  // MARK: Records that only other users received

  /// A duplicate exists here that the present user never saw.
  ///
  /// It may be gone, so no object is merged with it.
  @Test func `No duplicate is merged with a record that the present user cannot read`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(
        ada, in: folder, scope: .public, model: AddressBook.model(isUnique: true))
      try await device.add("Person", ["name": "Old", "email": "one@example.com"])
      try await device.sync()
      let old = try #require(device.container.recordID(for: try await device.person("Old")))
      try device.signIn(bob)
      try await device.sync()
      let new = CKRecord(recordType: "CD_Person", recordID: CKRecord.ID(recordName: "z"))
      (new["CD_entityName"], new["CD_name"], new["CD_email"]) = ("Person", "New", "one@example.com")
      let database = try await cloud.signIn("bob").container.publicCloudDatabase
      try await database.save(new)
      try await device.sync()
      try await device.sync()
      #expect(try await device.names() == ["New", "Old"])
      _ = try await database.record(for: new.recordID)
      try await cloud.signIn("ada").container.publicCloudDatabase.deleteRecord(withID: old)
      try device.signIn(ada)
      _ = await device.engine.setUpOnce()
      #expect(await device.engine.importOnce().failure == nil)
      #expect(try await device.names() == ["New"])
      #expect(try await device.value("New", "email") == "one@example.com")
      try device.close()
    }
  }

  private func addPeople(_ count: Int, _ name: String, _ device: Device) async throws {
    try await device.save { context in
      for number in 0..<count {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("\(name) \(number)", forKey: "name")
      }
    }
    try await device.sync()
  }

  /// A store with people that only Ada can read and others that only Bob could.
  ///
  /// Bob uses it now, and his people are gone.
  private func withLostPeople(
    ofAda: Int, ofBob: Int, _ body: (TestCloud, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      let device = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await addPeople(ofAda, "Ada", device)
      try device.signIn(try await cloud.signIn("bob"))
      try await device.sync()
      try await addPeople(ofBob, "Bob", device)
      try await device.sync()
      let database = try await cloud.signIn("bob").container.publicCloudDatabase
      let found = try await people(database)
      #expect(found.count == ofBob)
      _ = try await database.modifyRecords(saving: [], deleting: found)
      try await cloud.advance(by: .seconds(86_401))
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      #expect(blocker?.code == .zoneDeletedByUser)
      #expect(try await device.names().count == ofAda + ofBob)
      try await body(cloud, device)
      try device.close()
    }
  }

  private func people(_ database: CKDatabase) async throws -> [CKRecord.ID] {
    let query = CKQuery(recordType: "CD_Person", predicate: NSPredicate(value: true))
    return try await database.records(matching: query, desiredKeys: []).matchResults.map(\.0)
  }

  @Test func `Records that other users saw do not make a loss look small`() async throws {
    try await withLostPeople(ofAda: 20, ofBob: 12) { _, _ in }
  }

  @Test(arguments: [NSPersistentCloudKitContainer.DeletionResolution.uploadAgain, .deleteLocally])
  func `Other users' records are never sent in the name of the user who decides about a loss`(
    resolution: NSPersistentCloudKitContainer.DeletionResolution
  ) async throws {
    try await withLostPeople(ofAda: 5, ofBob: 20) { cloud, device in
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      device.container.resolveDeletion(of: store, by: resolution)
      try await device.sync()
      let isKept = resolution == .uploadAgain
      #expect(try await device.names().count == (isKept ? 25 : 5))
      #expect(
        try await people(cloud.signIn("bob").container.publicCloudDatabase).count
          == (isKept ? 20 : 0))
      #expect(try await people(cloud.signIn("ada").container.publicCloudDatabase).count == 5)
      #expect(device.container.syncState.isUpToDate)
    }
  }

  // MARK: Many readers

  @Test func `If there are too many readers, the oldest are forgotten`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let (ledger, record) = (
        device.engine.ledger,
        RecordIdentifier(
          try #require(device.container.recordID(for: try await device.person("Ada"))))
      )
      try ledger.recordReceipts([record], to: "who stays")
      for number in 1...70 {
        let reader = "reader \(number)"
        try ledger.setState([
          .readerSince(reader): .real(Double(number)),
          .readerSince("who stays"): .real(Double(number)),
        ])
        try ledger.recordReceipts([record], to: reader)
        #expect(try ledger.received([record], to: reader) == [record])
      }
      #expect(try ledger.received([record], to: "who stays") == [record])
      // Ada is recorded as a current reader, by a later clock.
      let known = try (1...70).filter {
        try ledger.received([record], to: "reader \($0)") == [record]
      }
      #expect(known == Array(11...70))
      try device.close()
    }
  }
}
