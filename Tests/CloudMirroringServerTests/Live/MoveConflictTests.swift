import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import TestSupport
import Testing

/// Moves between zones that conflict with other devices' moves and deletions before they are sent.
@Suite(.endsAtAll) struct MoveConflictTests {
  @Test func `An object that was deleted before its move was sent is deleted everywhere`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await pair.ada.save { context in
        context.delete(try context.object("Carl", "Person"))
      }
      // The phone changes the record, so a deletion of its former version is rejected.
      try await phone.save { try $0.object("Carl", "Person").setValue(44, forKey: "age") }
      try await phone.sync()
      try await expect(["Ada of Paris"], pair.ada, phone)
    }
  }

  /// The object moves to a share, or to a share and back: Paris is shared, Rome is not.
  @Test(arguments: [["Paris"], ["Paris", "Rome"]])
  func `The deletion of an object reaches a device that has not sent its moves`(towns: [String])
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      for town in towns { try await pair.move("Carl", to: town, pair.ada) }
      try await phone.save { context in context.delete(try context.object("Carl", "Person")) }
      try await phone.sync()
      try await expect(["Ada of Paris"], pair.ada, phone)
    }
  }

  @Test func `An object stays in one zone if its share ends while another device moves it`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      try await pair.ada.addTown("Oslo", people: [])
      try await pair.ada.sync()
      let (_, oslo, _) = try await pair.ada.share(["Oslo"])
      try await pair.ada.sync()
      try await phone.sync()
      let shares = [("Paris", pair.share), ("Oslo", oslo)].sorted {
        $0.1.recordID.zoneID.zoneName < $1.1.recordID.zoneID.zoneName
      }
      // The share with the smaller zone name would win, but it ends before that move is sent.
      try await pair.move("Carl", to: shares[0].0, pair.ada)
      try await pair.move("Carl", to: shares[1].0, phone)
      try await phone.sync()
      try await pair.ada.engines.own.mirror.container.privateCloudDatabase.deleteRecord(
        withID: shares[0].1.recordID)
      try await sync(pair.ada, phone)
      let people = try await pair.ada.people()
      #expect(people.count == 2 && people[1].hasPrefix("Carl of "))
      #expect(try await phone.people() == people)
      let name = try #require(
        pair.ada.container.recordID(for: try await pair.ada.objectID("Carl"))?.recordName)
      let zones = try await pair.ada.records().filter { $0.value.contains(name) }.keys.sorted()
      #expect(zones == [try await pair.ada.zone("Carl")])
    }
  }

  @Test func `A membership added while another device shares its members moves to the share`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.ada.save { context in
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("Choir", forKey: "title")
        context.assign(group, toShared: false)
      }
      try await pair.ada.sync()
      let phone = try await pair.device("ada")
      try await phone.join("Carl", "Choir")
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await pair.ada.join("Ada", "Choir")
      try await sync(pair.ada, phone)
      try await pair.bob.sync()
      for device in [pair.ada, phone, pair.bob] {
        #expect(try await device.members(of: "Choir") == ["Ada", "Carl"])
      }
      // Only Rome is in the home zone.
      #expect(try await pair.ada.records()[MirrorNames.zone]?.count == 1)
    }
  }

  @Test func `Objects return to the home zone if their share ends before its zone is first read`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.ada.addTown("Oslo", people: ["Eve"])
      try await pair.ada.sync()
      let (_, share, _) = try await pair.ada.share(["Oslo"])
      try await pair.ada.engines.own.mirror.container.privateCloudDatabase.deleteRecord(
        withID: share.recordID)
      for _ in 0..<2 { try await pair.ada.sync() }
      #expect(try await pair.ada.zone("Eve") == MirrorNames.zone)
      #expect(try await pair.ada.records()[share.recordID.zoneID.zoneName] == nil)
    }
  }

  /// After 200 days the participant's token has expired.
  ///
  /// A full listing of the share does not show where the owner moved the record.
  @Test func `An edit does not bring a record back to a share that its object has left`()
    async throws
  {
    try await withSharedPair { pair in
      try await pair.syncBoth()
      try await pair.bob.save { try $0.object("Ada", "Person").setValue(7, forKey: "age") }
      try await pair.move("Ada", to: "Rome", pair.ada)
      try await pair.ada.sync()
      try await pair.cloud.advance(by: .seconds(200 * 86_400))
      try await pair.bob.sync()
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == [])
      #expect(try await pair.ada.people() == ["Ada of Rome", "Carl of Rome"])
      let name = try #require(
        pair.ada.container.recordID(for: try await pair.ada.objectID("Ada"))?.recordName)
      let zones = try await pair.ada.records().filter { $0.value.contains(name) }.keys
      #expect(Array(zones) == [MirrorNames.zone])
    }
  }

  /// A reader of a share knows the names of its records, and may use them in a share of its own.
  @Test func `Another owner's record of the same name does not take over an object`()
    async throws
  {
    try await withSharedPair { pair in
      let recordID = try #require(
        pair.bob.container.recordID(for: try await pair.bob.objectID("Ada")))
      let eve = try await pair.device("eve")
      try await eve.addTown("Oslo", people: ["Olga"])
      try await eve.sync()
      let (_, share, _) = try await eve.share(["Oslo"])
      try await eve.sync()
      try await eve.invite(pair.bob, to: share)
      let copy = CKRecord(
        recordType: "CD_Person",
        recordID: CKRecord.ID(recordName: recordID.recordName, zoneID: share.recordID.zoneID))
      for (field, value) in ["CD_entityName": "Person", "CD_name": "Eve"] { copy[field] = value }
      copy["PH_moves"] = 5
      try await eve.engines.own.mirror.container.privateCloudDatabase.save(copy)
      try await pair.syncBoth()
      #expect(try await pair.bob.people() == ["Ada of Paris", "Eve of -", "Olga of Oslo"])
      let present = pair.bob.container.recordID(for: try await pair.bob.objectID("Ada"))
      #expect(present == recordID)
      #expect(try await pair.ada.people() == ["Ada of Paris", "Carl of Rome"])
    }
  }

  @Test func `An object whose record has the maximum number of moves can still move`()
    async throws
  {
    try await withSharedPair { pair in
      let phone = try await pair.device("ada")
      let recordID = try #require(
        pair.ada.container.recordID(for: try await pair.ada.objectID("Carl")))
      let database = pair.ada.engines.own.mirror.container.privateCloudDatabase
      let record = try await database.record(for: recordID)
      record["PH_moves"] = Int64.max
      try await database.save(record)
      try await pair.ada.sync()
      try await pair.move("Carl", to: "Paris", pair.ada)
      try await expect(["Ada of Paris", "Carl of Paris"], pair.ada, phone)
      let zones = try await pair.ada.records().filter { $0.value.contains(recordID.recordName) }
      #expect(Array(zones.keys) == [pair.zone])
    }
  }

  private func expect(_ people: [String], _ one: SharingDevice, _ other: SharingDevice)
    async throws
  {
    try await sync(one, other)
    for device in [one, other] { #expect(try await device.people() == people) }
  }

  /// Syncs both devices until neither can have new changes.
  private func sync(_ one: SharingDevice, _ other: SharingDevice) async throws {
    for _ in 0..<3 {
      for device in [one, other] { try await device.sync() }
    }
  }
}

extension SharingDevice {
  /// Adds a person to a group.
  func join(_ person: String, _ group: String) async throws {
    try await save { context in
      try context.object(group, "Group").mutableSetValue(forKey: "members")
        .add(try context.object(person, "Person"))
    }
  }

  /// The names of the people in a group.
  func members(of group: String) async throws -> [String] {
    try await container.performBackgroundTask { context in
      let members = try context.object(group, "Group").mutableSetValue(forKey: "members")
      return members.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
        .sorted()
    }
  }
}
