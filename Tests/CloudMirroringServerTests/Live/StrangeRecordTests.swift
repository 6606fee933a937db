import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import TestSupport
import Testing

/// Records that no Parhelion container would write, and invalid values.
@Suite("Foreign records", .endsAtAll)
struct StrangeRecordTests {
  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  private static func record(_ type: String, _ name: String, _ fields: [String: String]) -> CKRecord
  {
    let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    for (field, value) in fields { record[field] = value }
    return record
  }

  @Test func `References and pairs to objects of other entities are left out`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      let other = try await cloud.signIn("ada").container.privateCloudDatabase
      let records = [
        Self.record(
          "CD_Person", "P",
          ["CD_entityName": "Person", "CD_name": "Ada", "CD_town": "Q", "CD_parent": "T"]),
        Self.record(
          "CD_Person", "Q", ["CD_entityName": "Person", "CD_name": "Bob", "CD_parent": "P"]),
        Self.record("CD_Town", "T", ["CD_entityName": "Town", "CD_name": "London"]),
        Self.record(
          MirrorNames.joinType, "J",
          [
            MirrorNames.joinEntities: "Group:Person", MirrorNames.joinRecords: "T:P",
            MirrorNames.joinRelationships: "groups:members",
          ]),
      ]
      let results = try await other.modifyRecords(saving: records, deleting: [])
      for (_, result) in results.saveResults { _ = try result.get() }
      try await device.sync()
      #expect(try await device.names() == ["Ada", "Bob"])
      #expect(try await device.value("Ada", "town") == "nil")
      #expect(try await device.value("Ada", "parent") == "nil")
      #expect(try await device.value("Bob", "parent") != "nil")
      #expect(cloud.serverErrors.isEmpty)
      try device.close()
    }
  }

  @Test func `A deferred reference is set when its target arrives with an unchanged source`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      let other = try await cloud.signIn("ada").container.privateCloudDatabase
      let child = Self.record(
        "CD_Person", "P", ["CD_entityName": "Person", "CD_name": "Ada", "CD_parent": "Q"])
      try await other.save(child)
      try await device.sync()
      #expect(try await device.value("Ada", "parent") == "nil")
      child["remark"] = "Of another program."
      let parent = Self.record("CD_Person", "Q", ["CD_entityName": "Person", "CD_name": "Bob"])
      let results = try await other.modifyRecords(saving: [child, parent], deleting: [])
      for (_, result) in results.saveResults { _ = try result.get() }
      try await device.sync()
      #expect(try await device.value("Ada", "parent") != "nil")
      #expect(device.container.syncState.stores.first?.deferredReferenceCount == 0)
      try device.close()
    }
  }

  @Test func `An empty value arrives as empty even if new objects have a default`() async throws {
    func model() -> NSManagedObjectModel {
      let model = AddressBook.model()
      model.entitiesByName["Person"]?.attributesByName["age"]?.defaultValue = 7
      return model
    }
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model())
      try await one.add("Person", ["name": "Ada"])
      try await one.save { context in try context.person("Ada").setValue(nil, forKey: "age") }
      try await one.add("Person", ["name": "Bob"])
      try await one.sync()
      try await other.sync()
      #expect(try await other.value("Ada", "age") == "nil")
      #expect(try await other.value("Bob", "age") == "7")
      try one.close()
      try other.close()
    }
  }

  @Test func `Only the last page's version of a record counts`() {
    let (first, again) = (
      Self.record("CD_Person", "P", [:]), Self.record("CD_Person", "P", ["CD_name": "Ada"])
    )
    let other = Self.record("CD_Person", "Q", [:])
    var page = ImportPage()
    page.add([first, other], deleted: [])
    page.add([], deleted: [first.recordID])
    #expect(page.records.map(\.recordID.recordName) == ["Q"] && page.deleted == [first.recordID])
    page.add([again], deleted: [other.recordID])
    #expect(page.records.map { $0["CD_name"] as? String } == ["Ada"])
    #expect(page.deleted == [other.recordID])
  }
}
