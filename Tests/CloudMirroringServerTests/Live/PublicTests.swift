import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// A public database sends no notifications and is polled.
@Suite("Public databases", .endsAtAll)
struct PublicTests {
  @Test func `One user's additions, changes and deletions reach other users`() async throws {
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
      #expect(!bob.container.canDeleteRecord(forManagedObjectWith: person))
      #expect(ada.container.canDeleteRecord(forManagedObjectWith: try await ada.person("Ada")))
      #expect(ada.container.canUpdateRecord(forManagedObjectWith: try await ada.person("Ada")))
      try await ada.change("Ada", ["email": "ada@example.com"])
      try await ada.delete("Cecil")
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.value("Ada", "email") == "ada@example.com")
      // No feed reports deletions, so a sync compares all names.
      #expect(try await bob.names() == ["Ada"])
      try ada.close()
      try bob.close()
    }
  }

  @Test func `A store and the sync of one object compare names once a day`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      for name in ["Ada", "Cecil"] { try await ada.add("Person", ["name": name]) }
      try await ada.sync()
      try await bob.sync()
      try await ada.delete("Cecil")
      try await ada.sync()
      #expect(await bob.engine.run(.importing).failure == nil)
      try await bob.container.sync(bob.person("Ada"))
      #expect(try await bob.names() == ["Ada", "Cecil"])
      try await cloud.advance(by: .seconds(90_000))
      #expect(await bob.engine.run(.importing).failure == nil)
      #expect(try await bob.names() == ["Ada"])
      try ada.close()
      try bob.close()
    }
  }

  @Test func `The server decides the start of polling, whatever the device's clock shows`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(
        cloud.signIn("bob"), in: folder, scope: .public, clockIsAheadBySeconds: 31_536_000)
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

  @Test func `A local change does not bring back an object that was deleted elsewhere`()
    async throws
  {
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
      #expect(
        try one.container.conflicts().map(\.keptLocal) == [false],
        "The conflict is in the journal.")
      try one.close()
      try other.close()
    }
  }

  @Test func `A change to another user's record is held back, and other changes are sent`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await bob.sync()
      try await bob.change("Ada", ["email": "not Bob's to change"])
      try await bob.add("Person", ["name": "Bob"])
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await bob.sync()
      }
      #expect(blocker?.code == .permission)
      let person = try await bob.person("Ada")
      guard case .pending(let reason) = try bob.container.syncState(of: person) else {
        Issue.record("not pending")
        return
      }
      #expect(reason?.code == .permission)
      #expect(bob.canModify, "Only one record belongs to another user.")
      try await ada.sync()
      #expect(try await ada.names() == ["Ada", "Bob"])
      #expect(try await ada.value("Ada", "email") == "nil")
      try ada.close()
      try bob.close()
    }
  }

  /// A person's record in a database without custom zones.
  private func record(_ name: String, _ fields: [String: String]) -> CKRecord {
    let record = CKRecord(recordType: "CD_Person", recordID: CKRecord.ID(recordName: name))
    record["CD_entityName"] = "Person"
    for (field, value) in fields { record[field] = value }
    return record
  }

  /// No deletions are reported, so the winner is looked up before the loser is deleted.
  @Test func `No duplicate is merged with a winner whose deletion is not yet known`() async throws {
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

  @Test func `A unique target that only a deleted object has becomes free`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, scope: .public, model: AddressBook.modelWithPassports())
      try await device.add("Person", ["name": "Ada"])
      try await device.add("Passport", ["name": "Old"])
      try await device.save { context in
        let passport = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport"))
          .first
        try context.person("Ada").setValue(passport, forKey: "passport")
      }
      try await device.sync()
      let old = try await device.container.performBackgroundTask { context in
        try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport")).first?.objectID
        )
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

  @Test func `A signed-out user keeps reading while entries are pending`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let signedIn = try await cloud.signIn("bob")
      let bob = try await Device(signedIn, in: folder, scope: .public)
      let binding = try bob.engine.mirror.container.binding()
      try await bob.sync()
      #expect(bob.canModify)
      let credentials = CloudCredentials.user(
        apiToken: signedIn.apiToken, webAuthToken: try #require(signedIn.webAuthToken))
      try binding.setCredentials(.program(apiToken: signedIn.apiToken))
      try await bob.sync()
      #expect(!bob.canModify, "No user is signed in, and nothing is pending.")
      try await bob.add("Person", ["name": "Bob"])
      let person = try await bob.person("Bob")
      #expect(!bob.container.canUpdateRecord(forManagedObjectWith: person))
      #expect(!bob.container.canDeleteRecord(forManagedObjectWith: person))
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await bob.sync()
      }
      #expect(blocker?.code == .noAccount)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      // The store itself starts the next poll.
      try await cloud.advance(by: .seconds(1_801))
      bob.engine.note(.timer)
      while await bob.engine.runNextStep() != nil {}
      #expect(try await bob.names() == ["Ada", "Bob"])
      #expect(try bob.container.syncState(of: try await bob.person("Bob")) == .pending(blocker))
      try binding.setCredentials(credentials)
      try await bob.sync()
      try await ada.sync()
      #expect(try await ada.names() == ["Ada", "Bob"])
      #expect(bob.container.syncState.isUpToDate && bob.canModify)
      try ada.close()
      try bob.close()
    }
  }

  @Test func `The zone of a public database cannot be purged`() async throws {
    try await withTemporaryDirectory { folder in
      let device = try await Device(try await TestCloud().signIn("ada"), in: folder, scope: .public)
      try await device.add("Person", ["name": "Ada"])
      let zoneID = device.engine.mirror.homeZone.zoneID
      let error = await #expect(throws: NSError.self) {
        try await device.container.purgeObjectsAndRecordsInZone(with: zoneID, in: nil)
      }
      #expect(error?.localizedDescription.contains("public database") == true)
      #expect(try await device.names() == ["Ada"])
      try device.close()
    }
  }

  @Test
  func `Before the account is known no write is reported as forbidden`() async throws {
    try await withTemporaryDirectory { folder in
      let device = try await Device(TestCloud().signIn("ada"), in: folder, scope: .public)
      #expect(device.canModify)
      try device.close()
    }
  }
}

extension Device {
  fileprivate var canModify: Bool {
    container.persistentStoreCoordinator.persistentStores.allSatisfy {
      container.canModifyManagedObjects(in: $0)
    }
  }
}
