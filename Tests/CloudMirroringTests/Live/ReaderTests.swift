import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjects
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// Who was told which records of a public database, whose store several people use one after the other.
@Suite("Readers of a public database", .endsAtAll)
struct ReaderTests {
  @Test func `What counts as acknowledged counts as told to whom has made it, however the program ends`() async throws {
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
      #expect(await device.engine.exportOnce().fault != nil)
      let record = RecordIdentifier(try #require(device.container.recordID(for: try await device.person("Bob"))))
      #expect(try device.engine.ledger.subjects(of: [record])[record]?.tag == nil)
      try pool.write { try $0.execute("DROP TRIGGER STOP") }
      try await device.sync()
      #expect(try device.engine.ledger.told([record], to: ada.userRecordName) == [record])
      try device.close()
    }
  }

  @Test func `Who changes what another one has made was not told of it by that`() async throws {
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

  @Test func `Whether people may read what they have made is asked once a day`() async throws {
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
        try await device.sync()
      }
      #expect(lookups.next() == 1, "Nothing was asked.")
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
      try await cloud.letDaysGoBy(1, device)
      try await device.add("Person", ["name": "Dan"])
      #expect(await device.engine.exportOnce().fault == nil)
      let record = RecordIdentifier(try #require(device.container.recordID(for: try await device.person("Dan"))))
      #expect(try device.engine.ledger.told([record], to: ada.userRecordName) == [record])
      try device.close()
    }
  }

  @Test func `What never becomes an object is not fetched each day`() async throws {
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
      #expect(lookups.next() == 1, "Nothing was asked.")
      strange["CD_name"] = "Eve"
      strange["CD_entityName"] = "Person"
      try await database.save(strange)
      try await device.sync()
      #expect(try await device.names() == ["Eve"])
      try device.close()
    }
  }

  @Test func `What a former user alone may read stays while another one uses the store, with all that belongs to it`()
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
      #expect(try await device.names() == ["Ada", "Bob"], "What is gone is gone for whom it was there.")
      #expect(device.container.syncState.isUpToDate)
      for one in [device, other] { try one.close() }
    }
  }

  @Test func `What nobody may read stays with whom has made it`() async throws {
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

  @Test func `What was there before somebody was let read it comes within a day`() async throws {
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
      try await cloud.grantOnPeople(["READ TO \"_world\"", "WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
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

  @Test func `What its user alone may read stays while nobody is signed in`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.grantOnPeople(["READ, WRITE TO \"_creator\"", "CREATE TO \"_icloud\""])
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

  @Test func `What the present user may change is not what the former one might`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (ada, bob) = (try await cloud.signIn("ada"), try await cloud.signIn("bob"))
      let device = try await Device(ada, in: folder, scope: .public)
      let binding = try device.engine.site.container.binding()
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
}
