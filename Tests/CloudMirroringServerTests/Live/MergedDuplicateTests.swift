import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjects
import MirrorLedger
import MirrorModel
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// Two objects with equal unique values.
///
/// A device deletes one without knowing of the other.
@Suite("Successors of merged duplicates", .endsAtAll)
struct MergedDuplicateTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  /// A name that precedes all names made by devices.
  private static let smallest = CKRecord.ID(recordName: "-", zoneID: zoneID)

  private static func record(_ recordID: CKRecord.ID, _ fields: [String: String]) -> CKRecord {
    let record = CKRecord(recordType: "CD_Person", recordID: recordID)
    record["CD_entityName"] = "Person"
    for (field, value) in fields { record[field] = value }
    return record
  }

  private static func other() -> CKRecord {
    record(smallest, ["CD_name": "A. L.", "CD_email": "ada@example.com"])
  }

  /// A device, and a database of the same user without mirroring.
  private func withDevice(
    _ sizes: TransferSizes = TransferSizes(),
    _ body: (TestCloud, Device, CKDatabase, URL) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true), sizes: sizes)
      try await device.sync()
      try await body(
        cloud, device, try await cloud.signIn("ada").container.privateCloudDatabase, folder)
      try device.close()
    }
  }

  /// Expects a new device to have the same.
  private func expectSame(_ device: Device, _ cloud: TestCloud, _ folder: URL) async throws {
    let other = try await Device(
      cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
    try await other.sync()
    #expect(try await other.text() == device.text())
    try other.close()
  }

  @Test
  func `A successor is dropped with everything else when the store starts over for another user`()
    async throws
  {
    try await withDevice { cloud, device, database, _ in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      try await database.save(Self.other())
      // The merge is not sent any more.
      #expect(await device.engine.importOnce().failure == nil)
      #expect(try await device.names() == ["A. L."])
      let bob = try await cloud.signIn("bob")
      try device.engine.mirror.container.binding().setCredentials(
        .user(apiToken: bob.apiToken, webAuthToken: try #require(bob.webAuthToken)))
      _ = try? await device.sync()
      let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
      device.container.resolveAccountChange(of: store, by: .replaceData)
      try await device.sync()
      #expect(try await device.names().isEmpty && device.container.syncState.isUpToDate)
      #expect(try await database.record(for: Self.smallest)["CD_name"] as String? == "A. L.")
    }
  }

  // MARK: Devices that know of the merge

  /// Other records follow the winner's, and the listing is interrupted.
  ///
  /// The winner may be gone when it resumes.
  @Test(arguments: [true, false])
  func `A successor does not stop a listing from resuming`(isThere: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await former.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let first = Self.other()
      first["PH_standsFor"] = "another"
      try await database.save(first)
      for number in 0..<5 {
        try await database.save(
          Self.record(
            CKRecord.ID(recordName: "\(number)", zoneID: Self.zoneID),
            ["CD_name": "Child \(number)", "CD_parent": "-"])
        )
      }
      var sizes = TransferSizes()
      (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(
        signedIn, in: folder, model: AddressBook.model(isUnique: true), through: transport,
        sizes: sizes)
      let pages = Requests()
      transport.watch { request in
        guard request.address.contains("changes/zone"), pages.next() == 4 else { return }
        signedIn.network.isOnline = false
      }
      #expect(await device.engine.run(.setUp).failure == nil)
      #expect(await device.engine.importOnce().failure?.kind == .offline)
      let come = try await device.names()
      #expect(
        !come.isEmpty && !come.contains("A. L."),
        "Objects related to the winner may arrive before it.")
      try device.close()
      signedIn.network.isOnline = true
      if !isThere { try await database.deleteRecord(withID: Self.smallest) }
      let listed = Requests()
      transport.watch { request in if request.address.contains("changes/zone") { _ = listed.next() }
      }
      let again = try await Device(
        signedIn, in: folder, model: AddressBook.model(isUnique: true), file: device.file,
        through: transport,
        sizes: sizes)
      #expect(await again.engine.run(.setUp).failure == nil)
      #expect(await again.engine.importOnce().failure == nil)
      #expect(listed.next() <= 6 - come.count + 2, "Imported records are not listed again.")
      try await again.sync()
      #expect(try await again.names().count == (isThere ? 6 : 5))
      let children = "children=Child 0,Child 1,Child 2,Child 3,Child 4"
      #expect(
        try await again.text().contains { $0.contains("name=A. L.") && $0.contains(children) }
          == isThere)
      #expect(again.container.syncState.isUpToDate)
      try await expectSame(again, cloud, folder)
      for one in [former, again] { try one.close() }
    }
  }

  // MARK: Deletions

  /// Unreadable values are no reason to keep the object as long as its successor list can be read.
  @Test(arguments: [true, false])
  func `An unreadable record can be deleted unless it has become a successor`(
    standsForOther: Bool
  ) async throws {
    try await withDevice { cloud, device, database, _ in
      try await database.save(Self.other())
      try await device.sync()
      try await device.delete("A. L.")
      let record = try await database.record(for: Self.smallest)
      try await withTemporaryDirectory { folder in
        let file = folder.appendingPathComponent("photo")
        try Data(repeating: 7, count: 900_000).write(to: file)
        record["CD_photo_ckAsset"] = CKAsset(fileURL: file)
        if standsForOther { record["PH_standsFor"] = "another" }
        try await database.save(record)
      }
      try cloud.loseFiles()
      _ = try? await device.sync()
      let left = try await database.records(for: [Self.smallest], desiredKeys: []).values.contains {
        (try? $0.get()) != nil
      }
      #expect(left == standsForOther)
      #expect((device.container.syncState.pendingChangeCount == 0) != standsForOther)
    }
  }

  @Test(arguments: [true, false])
  func `A deleted winner comes back only if it has become another one's successor`(
    standsForOther: Bool
  ) async throws {
    try await withDevice { cloud, device, database, folder in
      try await database.save(Self.other())
      try await device.sync()
      try await device.delete("A. L.")
      // Another device has changed the record, too. That alone is no reason to keep it.
      let record = try await database.record(for: Self.smallest)
      record["CD_age"] = 36
      if standsForOther { record["PH_standsFor"] = "another" }
      try await database.save(record)
      try await database.save(
        Self.record(
          CKRecord.ID(recordName: "Child", zoneID: Self.zoneID),
          ["CD_name": "Bob", "CD_parent": "-"]))
      try await device.sync()
      #expect(try await device.names() == (standsForOther ? ["A. L.", "Bob"] : ["Bob"]))
      if standsForOther {
        #expect(try await device.value("A. L.", "age") == "36")
        #expect(
          try await device.text().contains {
            $0.contains("name=A. L.") && $0.contains("children=Bob")
          })
      }
      #expect(device.container.syncState.isUpToDate)
      try await expectSame(device, cloud, folder)
    }
  }

  @Test func `References to a returning object that arrive in an earlier page reach it`()
    async throws
  {
    var sizes = TransferSizes()
    (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
    try await withDevice(sizes) { cloud, device, database, folder in
      try await database.save(Self.other())
      try await device.sync()
      try await device.delete("A. L.")
      try await database.save(
        Self.record(
          CKRecord.ID(recordName: "Child", zoneID: Self.zoneID),
          ["CD_name": "Bob", "CD_parent": "-"]))
      let record = try await database.record(for: Self.smallest)
      record["PH_standsFor"] = "another"
      try await database.save(record)
      try await device.sync()
      #expect(
        try await device.text().contains {
          $0.contains("name=A. L.") && $0.contains("children=Bob")
        })
      try await expectSame(device, cloud, folder)
    }
  }

  @Test func `A device that knows of a merge can delete the winner`() async throws {
    try await withDevice { _, device, database, _ in
      let record = Self.other()
      record["PH_standsFor"] = "another"
      try await database.save(record)
      try await device.sync()
      try await device.delete("A. L.")
      record["CD_age"] = 36
      try await database.save(record)
      try await device.sync()
      #expect(try await device.names().isEmpty)
      #expect(
        try await database.records(for: [Self.smallest]).values.allSatisfy {
          (try? $0.get()) == nil
        })
    }
  }

  /// The ledger does not know that the record stands for another one.
  @Test func `A deleted object does not come back after a full listing`() async throws {
    try await withDevice { _, device, database, _ in
      let record = Self.other()
      record["PH_standsFor"] = "another"
      try await database.save(record)
      try await device.sync()
      try Connection(.file(device.file.path)).execute("DELETE FROM PHM_DUPLICATE")
      try await device.delete("A. L.")
      try device.engine.ledger.setState([LedgerStateKey("relisting"): .text("")])
      #expect(await device.engine.importOnce().failure == nil)
      #expect(try await device.names().isEmpty)
      try await device.sync()
      #expect(try await device.names().isEmpty && device.container.syncState.isUpToDate)
      #expect(
        try await database.records(for: [Self.smallest]).values.allSatisfy {
          (try? $0.get()) == nil
        })
    }
  }

  /// The device does not know which version the server has.
  @Test func `An object sent without an answer and then deleted is looked up first`() async throws {
    try await withDevice { cloud, device, database, folder in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      device.network.inject(.lostResponse)
      device.network.inject(.noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork)
      #expect(await device.engine.exportOnce().failure?.kind == .offline)
      device.network.heal()
      let name = try await device.recordName(of: "Ada")
      let record = try await database.record(
        for: CKRecord.ID(recordName: name, zoneID: Self.zoneID))
      record["PH_standsFor"] = "another"
      try await database.save(record)
      try await device.delete("Ada")
      #expect(await device.engine.exportOnce().failure == nil)
      #expect(try await device.names() == ["Ada"])
      try await expectSame(device, cloud, folder)
    }
  }

  /// Each page of the feed has one record.
  ///
  /// The network breaks before the last one, and what was applied until then stays.
  @Test(arguments: [false, true])
  func `Many deletions do not wait for the end of the feed, with or without a successor`(
    hasOtherObject: Bool
  ) async throws {
    try await withTemporaryDirectory { folder in
      var sizes = TransferSizes()
      (sizes.recordsInPage, sizes.pagesInSave, sizes.heldDeletions) = (1, 1, 1)
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(
        signedIn, in: folder, model: AddressBook.model(isUnique: true), through: transport,
        sizes: sizes)
      for name in ["Ann", "Bob", "Cyd", "Dan"] {
        try await device.add("Person", ["name": name, "email": "\(name)@example.com"])
      }
      for _ in 0..<2 { try await device.sync() }
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      if hasOtherObject {
        let other = Self.other()
        other["PH_standsFor"] = "another"
        try await database.save(other)
      }
      for name in ["Ann", "Bob", "Cyd", "Dan"] {
        try await database.deleteRecord(
          withID: CKRecord.ID(
            recordName: try await device.recordName(of: name), zoneID: Self.zoneID))
      }
      try await database.save(
        Self.record(CKRecord.ID(recordName: "E", zoneID: Self.zoneID), ["CD_name": "Eve"]))
      let standing = hasOtherObject ? ["A. L."] : []
      let (pages, lastPage) = (Requests(), 5 + standing.count)
      transport.watch { request in
        if request.address.contains("changes/zone"), pages.next() == lastPage {
          signedIn.network.isOnline = false
        }
      }
      #expect(await device.engine.importOnce().failure?.kind == .offline)
      #expect(
        try await device.names() == standing + ["Dan"],
        "Earlier deletions were applied; Dan's waits for the end of the feed.")
      transport.watch(nil)
      signedIn.network.isOnline = true
      try await device.sync()
      #expect(try await device.names() == standing + ["Eve"])
      #expect(device.container.syncState.isUpToDate)
      try await expectSame(device, cloud, folder)
      try device.close()
    }
  }

  // MARK: Merges

  @Test
  func `The winner's record names its duplicates, whatever other devices change in it`()
    async throws
  {
    try await withDevice { _, device, database, _ in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      let record = Self.other()
      try await database.save(record)
      _ = await device.engine.importOnce()
      #expect(try await device.names() == ["A. L."])
      record["CD_age"] = 36
      try await database.save(record)
      try await device.sync()
      let saved = try await database.record(for: Self.smallest)
      #expect(
        saved["PH_standsFor"] == name && saved["CD_age"] == 36
          && saved["CD_email"] == "ada@example.com")
      #expect(device.container.syncState.isUpToDate)
    }
  }

  /// Another device deletes the first winner without knowing what it absorbed here.
  @Test func `The next winner's record names all duplicates that a deleted winner absorbed`()
    async throws
  {
    try await withDevice { _, device, database, _ in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      let records = ["-2", "-3"].map { CKRecord.ID(recordName: $0, zoneID: Self.zoneID) }
      for recordID in records {
        try await database.save(
          Self.record(recordID, ["CD_name": recordID.recordName, "CD_email": "ada@example.com"]))
        #expect(await device.engine.importOnce().failure == nil)
      }
      #expect(try await device.names() == ["-2"])
      try await database.save(Self.other())
      try await database.deleteRecord(withID: records[0])
      for _ in 0..<2 { try await device.sync() }
      #expect(try await device.names() == ["A. L."])
      let text = try await database.record(for: Self.smallest)["PH_standsFor"] as String?
      #expect(Set((text ?? "").split(separator: "\n").map(String.init)) == [name, "-3"])
      #expect(device.container.syncState.isUpToDate)
    }
  }

  /// The server has the loser, or has never seen it.
  @Test(arguments: [true, false])
  func `If the winner is deleted before the server knows of the merge, the loser stays`(
    isSent: Bool
  ) async throws {
    try await withDevice { cloud, device, database, folder in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      if isSent { try await device.sync() }
      try await database.save(Self.other())
      try await device.add("Person", ["name": "Bob"])
      try await device.save { context in
        try context.person("Bob").setValue(try context.person("Ada"), forKey: "parent")
      }
      _ = await device.engine.importOnce()
      #expect(try await device.names() == ["A. L.", "Bob"])
      try await database.deleteRecord(withID: Self.smallest)
      for _ in 0..<2 { try await device.sync() }
      // Only this device ever had the other object. The remaining one equals the winner.
      let stays = isSent ? "Ada" : "A. L."
      #expect(try await device.names() == [stays, "Bob"].sorted())
      #expect(try await device.value(stays, "email") == "ada@example.com")
      #expect(
        try await device.text().contains {
          $0.contains("name=\(stays)") && $0.contains("children=Bob")
        })
      #expect(device.container.syncState.isUpToDate)
      try await expectSame(device, cloud, folder)
    }
  }

  @Test func `If both duplicates were deleted, both are gone`() async throws {
    try await withDevice { cloud, device, database, folder in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      try await database.save(Self.other())
      _ = await device.engine.importOnce()
      try await database.deleteRecord(withID: Self.smallest)
      try await database.deleteRecord(withID: CKRecord.ID(recordName: name, zoneID: Self.zoneID))
      for _ in 0..<2 { try await device.sync() }
      #expect(try await device.names().isEmpty)
      #expect(device.container.syncState.isUpToDate)
      try await expectSame(device, cloud, folder)
    }
  }

  /// Another device merged the loser while its address changed here, so the values differ now.
  ///
  /// With short pages the winner arrives first.
  @Test(arguments: [false, true])
  func `A loser whose unique values change still merges`(
    isInParts: Bool
  ) async throws {
    var sizes = TransferSizes()
    if isInParts { (sizes.recordsInPage, sizes.pagesInSave) = (1, 1) }
    try await withDevice(sizes) { cloud, device, database, folder in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      let record = Self.other()
      record["PH_standsFor"] = name
      try await database.save(record)
      try await database.deleteRecord(withID: CKRecord.ID(recordName: name, zoneID: Self.zoneID))
      try await device.change("Ada", ["email": "lovelace@example.com"])
      try await device.add("Person", ["name": "Bob"])
      try await device.save { context in
        try context.person("Bob").setValue(try context.person("Ada"), forKey: "parent")
      }
      for _ in 0..<2 { try await device.sync() }
      #expect(try await device.names() == ["A. L.", "Bob"])
      #expect(
        try await device.text().contains {
          $0.contains("name=A. L.") && $0.contains("children=Bob")
        })
      #expect(device.container.syncState.isUpToDate)
      try await expectSame(device, cloud, folder)
    }
  }

  /// Other requests run between the end of the feed and the deletions, and the network breaks
  /// there.
  @Test func `A pending merge continues at the next start`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      func device(_ file: URL?) async throws -> Device {
        try await Device(
          signedIn, in: folder, model: AddressBook.model(isUnique: true), file: file,
          through: transport)
      }
      let broken = try await device(nil)
      try await broken.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await broken.add("Person", ["name": "Bob"])
      try await broken.save { context in
        try context.person("Bob").setValue(try context.person("Ada"), forKey: "parent")
      }
      try await broken.sync()
      try await cloud.signIn("ada").container.privateCloudDatabase.save(Self.other())
      try broken.engine.ledger.setState([LedgerStateKey("relisting"): .text("")])
      let pages = Requests()
      transport.watch { request in
        if request.address.contains("changes/zone"), pages.next() == 2 {
          signedIn.network.isOnline = false
        }
      }
      #expect(await broken.engine.importOnce().failure?.kind == .offline)
      #expect(
        try await broken.names() == ["A. L.", "Ada", "Bob"],
        "Both are there, and one has no address any more.")
      #expect(try await broken.value("Ada", "email") == "nil")
      try broken.close()
      transport.watch(nil)
      signedIn.network.isOnline = true
      let again = try await device(broken.file)
      try await again.sync()
      #expect(try await again.names() == ["A. L.", "Bob"])
      #expect(
        try await again.text().contains { $0.contains("name=A. L.") && $0.contains("children=Bob") }
      )
      #expect(again.container.syncState.isUpToDate)
      try await expectSame(again, cloud, folder)
      try again.close()
    }
  }

  @Test func `After the server knows of a merge, a deletion is final`() async throws {
    try await withDevice { _, device, database, _ in
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await database.save(Self.other())
      try await device.sync()
      try await device.sync()
      #expect(try await device.names() == ["A. L."])
      try await database.deleteRecord(withID: Self.smallest)
      try await device.sync()
      #expect(try await device.names().isEmpty)
    }
  }
}
