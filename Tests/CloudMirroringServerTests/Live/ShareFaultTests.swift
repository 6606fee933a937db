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
import ObjectRows
import PredicateLanguage
import Synchronization
import TestSupport
import Testing

/// Sharing with unusual orders of arrival, faults, and several stores.
@Suite struct ShareFaultTests {
  // MARK: Orders of arrival

  @Test(.endsAtAll)
  func `Case 12: An object stays if the former zone's deletion is listed before the new record`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      let before = try await phone.objectID("Carl")
      try await pair.move("Carl", to: "Paris", pair.ada)
      // The zone of the share changes again, and is listed last.
      try await pair.ada.save { try $0.object("Ada", "Person").setValue(1, forKey: "age") }
      try await pair.ada.sync()
      let deleted = Mutex(0)
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
      ) { note in
        let gone = note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> ?? []
        if gone.contains(where: { $0.objectID == before }) { deleted.withLock { $0 += 1 } }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try await phone.sync()
      #expect(try await phone.people() == ["Ada of Paris", "Carl of Paris"])
      #expect(try await phone.objectID("Carl") == before)
      #expect(deleted.withLock(\.self) == 0)
    }
  }

  @Test(.endsAtAll)
  func `Case 13: The new record arrives before the former one is deleted, without a duplicate`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let ada = try await SharingDevice(signedIn, in: folder, through: transport)
      let phone = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      try await ada.addTown("Rome", people: ["Carl"])
      try await ada.sync()
      try await ada.share(["Paris"])
      try await ada.sync()
      try await phone.sync()
      let before = try await phone.objectID("Carl")
      try await ada.save { context in
        try context.object("Carl", "Person").setValue(
          try context.object("Paris", "Town"), forKey: "town")
      }
      let seen = Mutex<[[String]]>([])
      transport.watch { request in
        guard request.address.contains("records/modify") else { return }
        await #expect(throws: Never.self) {
          try await phone.sync()
          let people = try await phone.people()
          seen.withLock { $0.append(people) }
        }
      }
      try await ada.sync()
      transport.watch(nil)
      try await phone.sync()
      // Before the new record, and between it and the deletion of the former one.
      #expect(
        seen.withLock(\.self) == [
          ["Ada of Paris", "Carl of Rome"], ["Ada of Paris", "Carl of Paris"],
        ])
      #expect(try await phone.objectID("Carl") == before)
      #expect(try await phone.people() == ["Ada of Paris", "Carl of Paris"])
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `An edit of the former record by a device that did not know the move is kept`() async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await phone.save { try $0.object("Carl", "Person").setValue(44, forKey: "age") }
      try await pair.move("Carl", to: "Paris", pair.ada)
      pair.ada.network.isOnline = false
      await #expect(throws: (any Error).self) { try await pair.ada.sync() }
      try await phone.sync()
      pair.ada.network.isOnline = true
      for _ in 0..<2 {
        try await pair.ada.sync()
        try await phone.sync()
      }
      try await pair.bob.sync()
      for device in [pair.ada, phone, pair.bob] {
        #expect(try await device.age("Carl") == 44)
        #expect(try await device.people().contains("Carl of Paris"))
      }
      #expect(
        try await pair.ada.records(in: CKRecordZone.ID(zoneName: MirrorNames.zone)).count == 1)
    }
  }

  @Test(.endsAtAll)
  func `Two devices that move an object to two shares at once agree`() async throws {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.ada.addTown("Oslo", people: [])
      try await pair.ada.sync()
      try await pair.ada.share(["Oslo"])
      try await pair.ada.sync()
      try await phone.sync()
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await pair.move("Carl", to: "Oslo", phone)
      for _ in 0..<3 {
        for device in [pair.ada, phone] { try await device.sync() }
      }
      #expect(try await pair.ada.people() == phone.people())
      #expect(try await pair.ada.zone("Carl") == phone.zone("Carl"))
      let name = try #require(
        pair.ada.container.recordID(for: try await pair.ada.objectID("Carl"))?.recordName)
      let zones = try await pair.ada.records().filter { $0.value.contains(name) }.keys.sorted()
      #expect(zones == [try await pair.ada.zone("Carl")])
    }
  }

  @Test(.endsAtAll)
  func `Case 37: A share arrives before its objects, which come later`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      let bob = try await SharingDevice(try await cloud.signIn("bob"), in: folder)
      try await ada.addTown("Paris", people: ["Ada"])
      try await ada.sync()
      try await bob.sync()
      let (_, share, _) = try await ada.share(["Paris"])
      try await ada.invite(bob, to: share)
      #expect(try bob.container.fetchShares(in: bob.shared).count == 1)
      #expect(try await bob.people().isEmpty)
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.people() == ["Ada of Paris"])
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 32: An invitation is accepted right after the stores are loaded`() async throws {
    try await withSharedPair { pair in
      let metadata = try await pair.invitation(for: "carl")
      let fresh = try await SharingDevice(try await pair.cloud.signIn("carl"), in: pair.folder)
      try await fresh.container.acceptShareInvitations(from: [metadata], into: fresh.shared)
      #expect(try await fresh.people() == ["Ada of Paris"])
      try await fresh.sync()
      #expect(try await fresh.people() == ["Ada of Paris"])
    }
  }

  // MARK: Faults

  @Test(.endsAtAll, arguments: 1...7)
  func `Case 23: Sharing that is broken off at any request is finished after a restart`(
    request: Int
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let ada = try await SharingDevice(signedIn, in: folder, through: transport)
      try await ada.addTown("Paris", people: (0..<900).map { "Person \($0)" })
      try await ada.sync()
      let before = try await ada.objectID("Person 7")
      let count = Mutex(0)
      transport.watch { _ in
        let all = count.withLock { count in
          count += 1
          return count
        }
        if all >= request { signedIn.network.isOnline = false }
      }
      _ = try? await ada.share(["Paris"])
      try? await ada.sync()
      try ada.close()
      transport.watch(nil)
      signedIn.network.isOnline = true
      let again = try await SharingDevice(signedIn, in: folder, files: ada.files)
      if try await again.zone("Person 7") == MirrorNames.zone { try await again.share(["Paris"]) }
      try await again.sync()
      #expect(
        try await again.objectID("Person 7").uriRepresentation() == before.uriRepresentation())
      let zone = try #require(try await again.zone("Person 7"))
      #expect(zone.hasPrefix(MirrorNames.shareZonePrefix))
      let places = try await again.records().mapValues(\.count)
      #expect(places[zone] == 901)
      #expect(places.values.reduce(0, +) == 901, "\(places)")
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 24: Nothing moves if the account may have no more zones`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud(chance: TestRandomness()) { $0.zonesPerDatabase = 2 }
      let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder)
      for town in ["Paris", "Rome", "Oslo"] { try await ada.addTown(town, people: [town]) }
      try await ada.sync()
      var error: NSError?
      for town in ["Paris", "Rome", "Oslo"] {
        do { try await ada.share([town]) } catch let found as NSError { error = error ?? found }
      }
      #expect(error?.userInfo["ParhelionSyncBlocker"] as? String == "limit-exceeded")
      let remedy = error?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
      #expect(remedy?.contains("an existing share") == true)
      #expect(try await ada.zone("Oslo") == MirrorNames.zone)
      try await ada.sync()
      await cloud.end()
    }
  }

  @Test(.endsAtAll)
  func `Case 47: Changes that the server refuses do not hold up others`() async throws {
    try await withSharedPair { pair in
      let (_, rome, _) = try await pair.ada.share(["Rome"])
      try await pair.ada.sync()
      try await pair.ada.invite(pair.bob, to: rome)
      try await pair.setPermission(.readOnly)
      try await pair.bob.save { context in
        for name in ["Ada", "Carl"] {
          try context.object(name, "Person").setValue(9, forKey: "age")
        }
      }
      try await pair.bob.save { context in
        let town = try context.object("Rome", "Town")
        for number in 0..<400 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
          person.setValue(town, forKey: "town")
          context.assign(person, toShared: true)
        }
      }
      try await pair.syncBoth()
      #expect(try await pair.ada.age("Carl") == 9)
      #expect(try await pair.ada.people().count == 402)
      #expect(try await pair.bob.age("Ada") == pair.ada.age("Ada"))
      #expect(pair.bob.container.syncState.isUpToDate)
    }
  }

  @Test(.endsAtAll)
  func `Case 49: A relationship between stores is refused, and nothing is lost`() async throws {
    try await withSharedPair { pair in
      try await pair.bob.addTown("Oslo", people: [])
      await #expect(throws: (any Error).self) {
        try await pair.bob.save { context in
          try context.object("Ada", "Person").setValue(
            try context.object("Oslo", "Town"), forKey: "town")
        }
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris"])
    }
  }

  @Test(.endsAtAll)
  func `Case 50: What is made in a share without an account is sent after the user returns`()
    async throws
  {
    try await withSharedPair { pair in
      let binding = try pair.bob.engines.shared.mirror.container.binding()
      try binding.setCredentials(.program(apiToken: pair.bob.user.apiToken))
      try await pair.bob.addPerson("Eve", to: "Paris")
      await #expect(throws: (any Error).self) { try await pair.bob.sync() }
      #expect(try await pair.bob.people() == ["Ada of Paris", "Eve of Paris"])
      try binding.setCredentials(
        .user(
          apiToken: pair.bob.user.apiToken,
          webAuthToken: try #require(
            try await pair.cloud.signIn("bob").webAuthToken)))
      try await pair.syncBoth()
      #expect(try await pair.ada.people().contains("Eve of Paris"))
    }
  }

  @Test(.endsAtAll)
  func `Case 53: Objects that the owner deletes are deleted for participants`() async throws {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        context.delete(try context.object("Paris", "Town"))
        context.delete(try context.object("Ada", "Person"))
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.people().isEmpty)
      #expect(try await pair.ada.people() == ["Carl of Rome"])
    }
  }

  @Test(.endsAtAll)
  func `A zone whose share could not be saved is deleted by the next sync`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let ada = try await SharingDevice(signedIn, in: folder, through: transport)
      try await ada.addTown("Paris", people: ["Ada"])
      try await ada.sync()
      func shareZones() async throws -> Int {
        try await ada.engines.own.mirror.database.allRecordZones().filter {
          $0.zoneID.zoneName.hasPrefix(MirrorNames.shareZonePrefix)
        }.count
      }
      let busy =
        #"{"serverErrorCode":"ZONE_BUSY","reason":"The zone has too much to do.","retryAfter":600}"#
      transport.refuse(
        "records/modify",
        TransportResponse(
          status: 503, headers: [("Content-Type", "application/json")], body: Array(busy.utf8)))
      await #expect(throws: NSError.self) { try await ada.share(["Paris"]) }
      #expect(try await shareZones() == 1)
      transport.refuse("records/modify", nil)
      try await ada.sync()
      #expect(try await shareZones() == 0)
      #expect(try ada.engines.own.ledger.sharedZones.identifiers().isEmpty)
      #expect(try await ada.zone("Ada") == MirrorNames.zone)
      try await ada.share(["Paris"])
      #expect(try await shareZones() == 1)
      await cloud.end()
    }
  }

  // MARK: Stores

  @Test(.endsAtAll)
  func `Case 57: An import into the shared store is one transaction of that store`() async throws {
    try await withSharedPair { pair in
      try await pair.bob.sync()
      let transactions = try await pair.bob.authors(of: pair.bob.shared.identifier ?? "")
      #expect(!transactions.isEmpty)
      #expect(Set(transactions) == [MirrorNames.importAuthor])
      #expect(try await pair.bob.authors(of: pair.bob.own.identifier ?? "").isEmpty)
    }
  }

  @Test(.endsAtAll)
  func `Case 60: History that is deleted before an export does not stop a move to a share`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await pair.ada.container.performBackgroundTask { context in
        _ = try context.execute(
          NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris", "Carl of Paris"])
    }
  }

  @Test(.endsAtAll)
  func `Case 62: A batch deletion affects the stores that it names`() async throws {
    try await withSharedPair { pair in
      try await pair.bob.addTown("Oslo", people: ["Dora"])
      try await pair.bob.container.performBackgroundTask { context in
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.affectedStores = [context.store(isShared: false)]
        _ = try context.execute(request)
      }
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris"])
      #expect(try await pair.ada.people().contains("Ada of Paris"))
    }
  }

  @Test(.endsAtAll)
  func `Case 63: Each object is in one store, and a new one in the store that it is assigned to`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.bob.addTown("Oslo", people: ["Dora"])
      try await pair.bob.addPerson("Eve", to: "Paris")
      #expect(try await pair.bob.people(isShared: false) == ["Dora of Oslo"])
      #expect(try await pair.bob.people(isShared: true) == ["Ada of Paris", "Eve of Paris"])
      #expect(try await pair.bob.people().count == 3)
    }
  }

  @Test(.endsAtAll)
  func `Case 64: A second container of the process cannot mirror the same store`() async throws {
    try await withSharedPair { pair in
      let error = await #expect(throws: NSError.self) {
        _ = try await SharingDevice(pair.bob.user, in: pair.folder, files: pair.bob.files)
      }
      #expect(error?.code == 134_410)
      try await pair.bob.sync()
    }
  }

  @Test(.endsAtAll)
  func `Case 65: Fields that a program does not know stay in the records of a share`() async throws
  {
    try await withSharedPair { pair in
      let recordID = try #require(
        pair.ada.container.recordID(for: try await pair.ada.objectID("Ada")))
      let database = pair.ada.engines.own.mirror.container.privateCloudDatabase
      let record = try await database.record(for: recordID)
      record["CD_ofNewerVersion"] = "Kept"
      try await database.save(record)
      try await pair.syncBoth()
      try await pair.bob.save { try $0.object("Ada", "Person").setValue(3, forKey: "age") }
      try await pair.syncBoth()
      let found = try await database.record(for: recordID)
      #expect(found["CD_ofNewerVersion"] as? String == "Kept")
      #expect(found["CD_age"] as? Int == 3)
    }
  }
}

extension SharedPair {
  /// Moves a person to another town and saves.
  func move(_ person: String, to town: String, _ device: SharingDevice) async throws {
    try await device.save { context in
      try context.object(person, "Person").setValue(
        try context.object(town, "Town"), forKey: "town")
    }
  }
}

extension SharingDevice {
  /// The age of a person.
  func age(_ name: String) async throws -> Int? {
    try await container.performBackgroundTask { context in
      try context.object(name, "Person").value(forKey: "age") as? Int
    }
  }

  /// Adds a person of a shared town.
  func addPerson(_ name: String, to town: String) async throws {
    try await save { context in
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue(name, forKey: "name")
      person.setValue(try context.object(town, "Town"), forKey: "town")
      context.assign(person, toShared: true)
    }
  }

  /// The authors of the transactions of a store.
  func authors(of store: String) async throws -> [String] {
    try await container.performBackgroundTask { context in
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let all = result?.result as? [NSPersistentHistoryTransaction] ?? []
      return all.filter { $0.storeID == store }.map { $0.author ?? "" }
    }
  }
}
