import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// Two devices that each insert the same unique value without knowing of each other.
@Suite("Unique values", .endsAtAll)
struct UniquenessTests {
  @Test
  func `Two devices that insert the same unique value keep one object and all its relationships`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = AddressBook.model(isUnique: true)
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model)
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      for (device, child) in [(one, "Bob"), (other, "Cecil")] {
        try await device.save { context in
          let parent = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          parent.setValue("Ada", forKey: "name")
          parent.setValue("ada@example.com", forKey: "email")
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue(child, forKey: "name")
          person.setValue(parent, forKey: "parent")
        }
      }
      for _ in 0..<3 {
        try await one.sync()
        try await other.sync()
      }
      #expect(try await one.names() == ["Ada", "Bob", "Cecil"])
      #expect(try await one.text() == other.text())
      #expect(
        try await one.text().contains {
          $0.contains("name=Ada") && $0.contains("children=Bob,Cecil")
        })
      #expect(one.container.syncState.isUpToDate && other.container.syncState.isUpToDate)
      try one.close()
      try other.close()
    }
  }

  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  /// A person's record, as saved by another device that inserted one with the same address.
  private static func record(_ name: String, _ fields: [String: String]) -> CKRecord {
    let record = CKRecord(
      recordType: "CD_Person", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    record["CD_entityName"] = "Person"
    for (field, value) in fields { record[field] = value }
    return record
  }

  /// A name that precedes all names made by devices.
  private static let smallest = "-"

  @Test
  func `A later page's reference to the loser leads to the winner`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var sizes = TransferSizes()
      (sizes.recordsInPage, sizes.pagesInSave) = (1, 1)
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true), sizes: sizes)
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      for record in [
        Self.record(Self.smallest, ["CD_name": "A. L.", "CD_email": "ada@example.com"]),
        Self.record("Child", ["CD_name": "Bob", "CD_parent": name]),
      ] { try await database.save(record) }
      try await device.sync()
      #expect(try await device.names() == ["A. L.", "Bob"])
      #expect(
        try await device.text().contains {
          $0.contains("name=A. L.") && $0.contains("children=Bob")
        })
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await other.sync()
      #expect(try await other.text() == device.text())
      for device in [device, other] { try device.close() }
    }
  }

  /// Another device has already deleted the local duplicate, and did not know the objects that are
  /// related to it here.
  @Test(arguments: [false, true])
  func `References to a merged loser move to the winner, in one page or several`(
    comesInParts: Bool
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var sizes = TransferSizes()
      if comesInParts { (sizes.recordsInPage, sizes.pagesInSave) = (1, 1) }
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true), sizes: sizes)
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      try await device.add("Person", ["name": "Bob"])
      try await device.save { context in
        try context.person("Bob").setValue(try context.person("Ada"), forKey: "parent")
      }
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let fields = ["CD_name": "A. L.", "CD_email": "ada@example.com", "PH_standsFor": name]
      try await database.save(Self.record(Self.smallest, fields))
      try await database.deleteRecord(withID: CKRecord.ID(recordName: name, zoneID: Self.zoneID))
      for _ in 0..<2 { try await device.sync() }
      #expect(try await device.names() == ["A. L.", "Bob"])
      #expect(
        try await device.text().contains {
          $0.contains("name=A. L.") && $0.contains("children=Bob")
        })
      #expect(try device.container.conflicts().isEmpty && device.container.syncState.isUpToDate)
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await other.sync()
      #expect(try await other.text() == device.text())
      for device in [device, other] { try device.close() }
    }
  }

  @Test func `A deleted object stays deleted, whatever is created with the same values later`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      try await database.deleteRecord(withID: CKRecord.ID(recordName: name, zoneID: Self.zoneID))
      try await database.save(Self.record("z", ["CD_name": "New", "CD_email": "ada@example.com"]))
      try await device.sync()
      #expect(try await device.names() == ["New"])
      #expect(try await device.text().contains { $0.contains("email=ada@example.com") })
      try device.close()
    }
  }

  @Test func `The winner need not be valid locally`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = AddressBook.model(isUnique: true)
      model.entitiesByName["Person"]?.attributesByName["age"]?.setValidationPredicates(
        [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["It is negative."])
      let device = try await Device(cloud.signIn("ada"), in: folder, model: model)
      try await device.add("Person", ["name": "Ada", "email": "ada@example.com", "age": 36])
      try await device.add("Person", ["name": "Bob"])
      try await device.save { context in
        try context.person("Bob").setValue(try context.person("Ada"), forKey: "parent")
      }
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let record = Self.record(Self.smallest, ["CD_name": "A. L.", "CD_email": "ada@example.com"])
      record["CD_age"] = -1
      try await database.save(record)
      for _ in 0..<2 { try await device.sync() }
      #expect(try await device.names() == ["A. L.", "Bob"])
      #expect(
        try await device.text().contains { $0.contains("age=-1") && $0.contains("children=Bob") })
      try device.close()
    }
  }

  /// The state after a crash between the two saves of a merge, if the winner is then deleted.
  @Test(arguments: [false, true])
  func `The loser of a missing winner gets its values back unless another object has them`(
    isTaken: Bool
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let name = try await device.recordName(of: "Ada")
      // The second merge finds what the first one left.
      try device.note(
        loser: name,
        without: [
          ["email": .string("ada@example.com")], ["email": .null],
        ])
      if isTaken { try await device.add("Person", ["name": "Eve", "email": "ada@example.com"]) }
      try await device.sync()
      #expect(try await device.names() == [isTaken ? "Eve" : "Ada"])
      #expect(try await device.text().contains { $0.contains("email=ada@example.com") })
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await other.sync()
      #expect(try await other.text() == device.text())
      try device.close()
      try other.close()
    }
  }

  /// The second merge can take nothing more from the object that lost its values to the first one,
  /// and a model may lack the attribute by now.
  @Test(arguments: [[["email": MirrorValue.null]], [[:]], [["email": .null], [:]]])
  func `If nothing was removed, nothing is restored`(
    taken: [[String: MirrorValue]]
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      try await device.add("Person", ["name": "Ada"])
      try await device.sync()
      let before = try await device.text()
      let name = try await device.recordName(of: "Ada")
      try device.note(loser: name, without: taken)
      try await device.sync()
      #expect(try await device.text() == before)
      try device.close()
    }
  }
}

extension UniquenessTests {
  /// The state if a later page of the feed renames one of the two.
  @Test(arguments: [("Ada", "Eve"), ("Eve", "Ada")])
  func `No object is merged with one that has other values by the end of the feed`(
    loser: String, winner: String
  )
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(
        cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
      // Ada has other values meanwhile. If Eve is to be merged with her, these are not Eve's lost
      // ones.
      try await device.add("Person", ["name": "Ada", "email": "other@example.com"])
      try await device.add("Person", ["name": "Eve"])
      try await device.sync()
      let names = try await (device.recordName(of: loser), device.recordName(of: winner))
      try device.note(
        loser: names.0, for: names.1,
        without: ["email": .string("ada@example.com")])
      try await device.sync()
      #expect(try await device.names() == ["Ada", "Eve"])
      #expect(try await device.value("Ada", "email") == "other@example.com")
      #expect(
        try await device.value("Eve", "email") == (loser == "Eve" ? "ada@example.com" : "nil"))
      try device.close()
    }
  }
}

extension Device {
  /// The name of the record of the person with a name.
  func recordName(of name: String) async throws -> String {
    let object = try await container.performBackgroundTask { try $0.person(name).objectID }
    return try #require(container.recordID(for: object)?.recordName)
  }

  func note(loser name: String, for winner: String, without taken: [String: MirrorValue])
    throws
  {
    try note([(winner, name, taken)])
  }

  /// Records that a person has lost values and is to be merged with missing people, one after the
  /// other.
  func note(loser name: String, without taken: [[String: MirrorValue]]) throws {
    try note(taken.enumerated().map { ("missing \($0)", name, $1) })
  }

  private func note(_ lost: [(winner: String, loser: String, taken: [String: MirrorValue])]) throws
  {
    var changes = LedgerChanges()
    changes.merges = lost.map {
      var merge = DuplicateMerge(
        winner: $0.winner, loser: $0.loser, constraint: ["email"])
      merge.taken = $0.taken
      return merge
    }
    try engine.ledger.apply(changes)
  }
}
