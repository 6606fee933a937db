import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// A public database, which tells nobody of its changes: it is asked.
@Suite("A public database", .endsAtAll)
struct PublicTests {
  @Test func `What one person adds, changes and deletes appears with others`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.add("Person", ["name": "Cecil"])
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.names() == ["Ada", "Cecil"])
      let person = try await bob.person("Ada")
      #expect(!bob.container.canUpdateRecord(forManagedObjectWith: person), "It is Ada's.")
      #expect(ada.container.canUpdateRecord(forManagedObjectWith: try await ada.person("Ada")))
      try await ada.change("Ada", ["email": "ada@example.com"])
      try await ada.delete("Cecil")
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.value("Ada", "email") == "ada@example.com")
      // Nobody tells of deletions: names are compared once a day.
      try await cloud.advance(by: .seconds(90_000))
      try await bob.sync()
      #expect(try await bob.names() == ["Ada"])
      try ada.close()
      try bob.close()
    }
  }

  @Test func `Since when to ask is the server's to say, whatever the device's clock shows`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public, clockIsAheadBySeconds: 31_536_000)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await bob.sync()
      try await cloud.advance(by: .seconds(3_600))
      try await ada.add("Person", ["name": "Cecil"])
      try await ada.change("Ada", ["email": "new"])
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.names() == ["Ada", "Cecil"])
      #expect(try await bob.value("Ada", "email") == "new")
      try ada.close()
      try bob.close()
    }
  }

  @Test func `What was deleted elsewhere does not come back because it was changed here`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Bob"] { try await one.add("Person", ["name": name]) }
      try await one.sync()
      try await other.sync()
      try await other.delete("Ada")
      try await other.sync()
      try await one.change("Ada", ["email": "late"])
      try await one.change("Bob", ["email": "kept"])
      try await one.sync()
      try await other.sync()
      #expect(try await one.names() == ["Bob"])
      #expect(try await other.names() == ["Bob"])
      #expect(try await other.value("Bob", "email") == "kept")
      #expect(try one.container.conflicts().map(\.keptLocal) == [false], "What was changed can be looked up.")
      try one.close()
      try other.close()
    }
  }

  @Test func `A record of somebody else's is held back, and one's own goes`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await bob.sync()
      try await bob.change("Ada", ["email": "not Bob's to change"])
      try await bob.add("Person", ["name": "Bob"])
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) { try await bob.sync() }
      #expect(blocker?.code == .permission)
      let person = try await bob.person("Ada")
      guard case .pending(let reason) = try bob.container.why(person) else {
        Issue.record("not pending")
        return
      }
      #expect(reason?.code == .permission)
      try await ada.sync()
      #expect(try await ada.names() == ["Ada", "Bob"])
      #expect(try await ada.value("Ada", "email") == "nil")
      try ada.close()
      try bob.close()
    }
  }

  /// What a person's record has, in a database that has no zones of its own.
  private func record(_ name: String, _ fields: [String: String]) -> CKRecord {
    let record = CKRecord(recordType: "CD_Person", recordID: CKRecord.ID(recordName: name))
    record["CD_entityName"] = "Person"
    for (field, value) in fields { record[field] = value }
    return record
  }

  /// Nobody tells of deletions there: who is to stay is looked for before another one goes for it.
  @Test func `Nobody goes for somebody who was deleted, of whom nobody has told yet`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, scope: .public, model: AddressBook.model(isUnique: true))
      try await device.add("Person", ["name": "Old", "email": "ada@example.com"])
      try await device.sync()
      let old = try #require(device.container.recordID(for: try await device.person("Old")))
      let database = try await cloud.signIn("ada").container.publicCloudDatabase
      try await database.deleteRecord(withID: old)
      try await database.save(record("z", ["CD_name": "New", "CD_email": "ada@example.com"]))
      try await device.sync()
      #expect(try await device.names() == ["New"])
      #expect(try await device.value("New", "email") == "ada@example.com")
      #expect(device.container.syncState.isUpToDate)
      let other = try await Device(
        cloud.signIn("ada"), in: folder, scope: .public, model: AddressBook.model(isUnique: true))
      try await other.sync()
      #expect(try await other.text() == device.text())
      for device in [device, other] { try device.close() }
    }
  }

  @Test func `What only somebody has who was deleted is another one's to have`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, scope: .public, model: AddressBook.modelWithPassports())
      try await device.add("Person", ["name": "Ada"])
      try await device.add("Passport", ["name": "Old"])
      try await device.save { context in
        let passport = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport")).first
        try context.person("Ada").setValue(passport, forKey: "passport")
      }
      try await device.sync()
      let old = try await device.container.performBackgroundTask { context in
        try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport")).first?.objectID)
      }
      let record = CKRecord(recordType: "CD_Passport", recordID: CKRecord.ID(recordName: "z"))
      record["CD_entityName"] = "Passport"
      record["CD_name"] = "New"
      record["CD_owner"] = try await device.recordName(of: "Ada")
      let database = try await cloud.signIn("ada").container.publicCloudDatabase
      try await database.deleteRecord(withID: try #require(device.container.recordID(for: old)))
      try await database.save(record)
      try await device.sync()
      let passport = try await device.container.performBackgroundTask { context in
        let passport = try context.person("Ada").value(forKey: "passport") as? NSManagedObject
        return passport?.value(forKey: "name") as? String
      }
      #expect(passport == "New")
      #expect(device.container.syncState.isUpToDate)
      try device.close()
    }
  }

  @Test func `Who is not signed in goes on reading although something waits to be sent`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let signedIn = try await cloud.signIn("bob")
      let bob = try await Device(signedIn, in: folder, scope: .public)
      let binding = try bob.engine.site.container.binding()
      let credentials = CloudCredentials.user(
        apiToken: signedIn.apiToken, webAuthToken: try #require(signedIn.webAuthToken))
      try binding.setCredentials(.program(apiToken: signedIn.apiToken))
      try await bob.add("Person", ["name": "Bob"])
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) { try await bob.sync() }
      #expect(blocker?.code == .noAccount)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      // The next look is the store's own.
      try await cloud.advance(by: .seconds(1_801))
      bob.engine.note(.timer)
      while await bob.engine.doNext() != nil {}
      #expect(try await bob.names() == ["Ada", "Bob"])
      #expect(try bob.container.why(try await bob.person("Bob")) == .pending(blocker))
      try binding.setCredentials(credentials)
      try await bob.sync()
      try await ada.sync()
      #expect(try await ada.names() == ["Ada", "Bob"])
      #expect(bob.container.syncState.isUpToDate)
      try ada.close()
      try bob.close()
    }
  }

  /// Says who may do what with people, of those who know nothing else of them.
  private func grantOnPeople(_ grants: [String], _ cloud: TestCloud) async throws {
    try await cloud.importSchema(
      """
      DEFINE SCHEMA RECORD TYPE CD_Person (
        "___recordID" REFERENCE QUERYABLE, "___modTime" TIMESTAMP QUERYABLE SORTABLE, CD_entityName STRING QUERYABLE,
        CD_name STRING, CD_email STRING, CD_town STRING,
        \(grants.map { "GRANT \($0)" }.joined(separator: ", "))
      );
      """)
  }

  /// Somebody else uses the store from now on.
  private func signIn(_ user: TestDevice, on device: Device) throws {
    try device.engine.site.container.binding().setCredentials(
      .user(apiToken: user.apiToken, webAuthToken: try #require(user.webAuthToken)))
  }

  /// Lets days go by, on each of which a device looks.
  private func letDaysGoBy(_ count: Int, _ cloud: TestCloud, _ device: Device) async throws {
    for _ in 0..<count {
      try await cloud.advance(by: .seconds(86_401))
      try await device.sync()
    }
  }

  @Test func `What a former user alone may read stays while another one uses the store, with all that belongs to it`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""], cloud)
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Cyd"] { try await device.add("Person", ["name": name]) }
      for one in [device, other, device] { try await one.sync() }
      try signIn(bob, on: device)
      try await device.sync()
      try await device.add("Person", ["name": "Bob"])
      try await device.sync()
      try await letDaysGoBy(3, cloud, device)
      #expect(try await device.names() == ["Ada", "Bob", "Cyd"])
      #expect(device.container.syncState.isUpToDate)
      try await other.delete("Cyd")
      try await other.sync()
      try signIn(ada, on: device)
      try await device.sync()
      try await letDaysGoBy(2, cloud, device)
      #expect(try await device.names() == ["Ada", "Bob"], "What is gone is gone for whom it was there.")
      #expect(device.container.syncState.isUpToDate)
      for one in [device, other] { try one.close() }
    }
  }

  @Test func `What nobody may read stays with whom has made it`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await grantOnPeople(["CREATE TO \"_icloud\""], cloud)
      let device = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      try await letDaysGoBy(3, cloud, device)
      #expect(try await device.names() == ["Ada"])
      try device.close()
    }
  }

  @Test func `What was there before somebody was let read it comes within a day`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""], cloud)
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await letDaysGoBy(1, cloud, bob)
      try await bob.add("Person", ["name": "Bob"])
      for _ in 0..<2 { try await bob.sync() }
      try await grantOnPeople(["READ TO \"_world\"", "WRITE TO \"_creator\"", "CREATE TO \"_icloud\""], cloud)
      try await letDaysGoBy(2, cloud, bob)
      #expect(try await bob.names() == ["Ada", "Bob"])
      let downloads = bob.network.requestCount
      try await letDaysGoBy(1, cloud, bob)
      let requests = bob.network.requestCount - downloads
      try await letDaysGoBy(1, cloud, bob)
      #expect(bob.network.requestCount - downloads == 2 * requests)
      for one in [ada, bob] { try one.close() }
    }
  }

  @Test func `What its user alone may read stays while nobody is signed in`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""], cloud)
      let signedIn = try await cloud.signIn("ada")
      let device = try await Device(signedIn, in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      for one in [device, other] { try await one.sync() }
      let binding = try device.engine.site.container.binding()
      try binding.setCredentials(.program(apiToken: signedIn.apiToken))
      for seconds in [1_801, 86_401, 86_401] {
        try await cloud.advance(by: .seconds(seconds))
        device.engine.note(.timer)
        while await device.engine.doNext() != nil {}
        #expect(try await device.names() == ["Ada"])
      }
      try await other.change("Ada", ["email": "new"])
      try await other.sync()
      try signIn(signedIn, on: device)
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

  @Test func `What the present user may change is not what the former one might`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder, scope: .public)
      let binding = try device.engine.site.container.binding()
      let people = [("Ada", ada), ("Bob", bob)]
      for (name, user) in people {
        try signIn(user, on: device)
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
      try signIn(ada, on: device)
      try await device.sync()
      #expect(try await changeable() == ["Ada"])
      try device.close()
    }
  }
}
