import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import TestSupport
import Testing

/// Ordered members on two devices, in whatever order they arrive.
@Suite("Ordered relationships", .endsAtAll)
struct OrderTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  private static func record(_ type: String, _ name: String, _ fields: [String: String]) -> CKRecord
  {
    let record = CKRecord(
      recordType: "CD_\(type)", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["CD_entityName"] = type
    record["CD_name"] = name
    for (field, value) in fields { record[field] = value }
    return record
  }

  private static func pair(_ name: String, _ group: String, _ person: String) -> CKRecord {
    let record = CKRecord(
      recordType: MirrorNames.joinType, recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record[MirrorNames.joinEntities] = "Group:Person"
    record[MirrorNames.joinRecords] = "\(group):\(person)"
    record[MirrorNames.joinRelationships] = "members:groups"
    return record
  }

  /// A device with an existing store, and its database.
  private func withDevice(_ body: (TestCloud, Device, CKDatabase) async throws -> Void) async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isOrdered: true))
      try await device.sync()
      try await body(cloud, device, try await cloud.signIn("ada").container.privateCloudDatabase)
      #expect(cloud.serverErrors.isEmpty)
      try device.close()
    }
  }

  @Test func `Two devices have the same order, whichever moves members`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isOrdered: true))
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isOrdered: true))
      try await one.save { context in
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        town.setValue("London", forKey: "name")
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue("Engines", forKey: "title")
        let people = ["Cecil", "Ada", "Bob"].map { name -> NSManagedObject in
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue(name, forKey: "name")
          return person
        }
        town.setValue(NSOrderedSet(array: people), forKey: "people")
        group.setValue(NSOrderedSet(array: people.reversed()), forKey: "members")
      }
      try await one.sync()
      try await other.sync()
      #expect(try await other.order("Town", "people") == ["Cecil", "Ada", "Bob"])
      #expect(try await other.order("Group", "members") == ["Bob", "Ada", "Cecil"])
      try await other.reorder("Town", "people", ["Ada", "Bob", "Cecil"])
      try await one.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Dora", forKey: "name")
        let group = try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group")).first)
        group.mutableOrderedSetValue(forKey: "members").insert(person, at: 1)
        let town = try #require(
          try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).first)
        town.mutableOrderedSetValue(forKey: "people").insert(person, at: 2)
      }
      for _ in 0..<2 { for device in [other, one] { try await device.sync() } }
      for device in [one, other] {
        #expect(try await device.order("Group", "members") == ["Bob", "Dora", "Ada", "Cecil"])
        #expect(try await Set(device.order("Town", "people")) == ["Ada", "Bob", "Cecil", "Dora"])
        #expect(device.container.syncState.isUpToDate)
      }
      #expect(try await one.order("Town", "people") == other.order("Town", "people"))
      for device in [one, other] { try device.close() }
    }
  }

  @Test func `Members that arrive later take their places`() async throws {
    try await withDevice { _, device, database in
      let group = Self.record("Group", "G", ["PH_members_order": "C\nB\nA"])
      let town = Self.record("Town", "T", ["PH_people_order": "A\nB\nC"])
      let people = ["A", "C"].map { Self.record("Person", $0, ["CD_town": "T"]) }
      try await database.save(
        [group, town] + people + [Self.pair("P1", "G", "A"), Self.pair("P2", "G", "C")])
      try await device.sync()
      #expect(try await device.order("Town", "people") == ["A", "C"])
      #expect(try await device.order("Group", "members") == ["C", "A"])
      try await database.save([Self.record("Person", "B", ["CD_town": "T"])])
      try await device.sync()
      #expect(try await device.order("Town", "people") == ["A", "B", "C"])
      #expect(
        try await device.order("Group", "members") == ["C", "A"],
        "B is there, but is no member yet.")
      try await database.save([Self.pair("P3", "G", "B")])
      try await device.sync()
      #expect(try await device.order("Group", "members") == ["C", "B", "A"])
      #expect(device.container.syncState.isUpToDate)
    }
  }

  @Test func `Members that the order does not name come last`() async throws {
    try await withDevice { _, device, database in
      let people = ["D", "B", "C", "A"].map { Self.record("Person", $0, ["CD_town": "T"]) }
      try await database.save([Self.record("Town", "T", ["PH_people_order": "C\nX\nB"])] + people)
      try await device.sync()
      #expect(try await device.order("Town", "people") == ["C", "B", "A", "D"])
    }
  }

  @Test func `A local move keeps the places of members that have not arrived`() async throws {
    try await withDevice { _, device, database in
      let people = ["A", "C"].map { Self.record("Person", $0, ["CD_town": "T"]) }
      try await database.save([Self.record("Town", "T", ["PH_people_order": "A\nB\nC"])] + people)
      try await device.sync()
      try await device.reorder("Town", "people", ["C", "A"])
      try await device.sync()
      let sent = try await database.record(for: CKRecord.ID(recordName: "T", zoneID: Self.zoneID))
      #expect(sent["PH_people_order"] == "C\nA\nB")
      try await database.save([Self.record("Person", "B", ["CD_town": "T"])])
      try await device.sync()
      #expect(try await device.order("Town", "people") == ["C", "A", "B"])
      #expect(device.container.syncState.isUpToDate)
    }
  }
}

extension CKDatabase {
  fileprivate func save(_ records: [CKRecord]) async throws {
    for (_, result) in try await modifyRecords(saving: records, deleting: []).saveResults {
      _ = try result.get()
    }
  }
}

extension Device {
  /// The names of the members of the only object of an entity, in order.
  fileprivate func order(_ entity: String, _ relationship: String) async throws -> [String] {
    try await container.performBackgroundTask { context in
      let owner = try #require(
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).first)
      let members = owner.mutableOrderedSetValue(forKey: relationship)
      return (0..<members.count).compactMap {
        (members.object(at: $0) as? NSManagedObject)?.value(forKey: "name") as? String
      }
    }
  }

  /// Reorders the members of the only object of an entity and saves.
  fileprivate func reorder(_ entity: String, _ relationship: String, _ names: [String]) async throws
  {
    try await save { context in
      let owner = try #require(
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).first)
      owner.setValue(NSOrderedSet(array: try names.map(context.person)), forKey: relationship)
    }
  }
}
