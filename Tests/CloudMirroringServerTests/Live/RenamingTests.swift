import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import PredicateLanguage
import TestSupport
import Testing

/// Devices with two versions of a model.
///
/// The second one renamed properties, and both stay equal.
@Suite("Renamed properties", .endsAtAll)
struct RenamingTests {
  /// People of towns and groups.
  ///
  /// In the second version these are cities and clubs, with renamed properties.
  private static func model(_ version: Int) -> NSManagedObjectModel {
    let model = AddressBook.model()
    guard version > 1 else { return model }
    let (person, town) = (model.entitiesByName["Person"], model.entitiesByName["Town"])
    for (former, name) in ["email": "address", "photo": "picture", "age": "years"] {
      rename(person?.attributesByName[former], to: name)
    }
    for (former, name) in ["town": "home", "groups": "clubs"] {
      rename(person?.relationshipsByName[former], to: name)
    }
    town?.renamingIdentifier = "Town"
    town?.name = "City"
    return model
  }

  private static func rename(_ property: NSPropertyDescription?, to name: String) {
    property?.renamingIdentifier = property?.name
    property?.name = name
  }

  /// Ada's values under the names of a version.
  private func ada(_ device: Device, _ version: Int) async throws -> [String] {
    let names = version == 1 ? ["email", "photo", "age"] : ["address", "picture", "years"]
    let (home, groups) = version == 1 ? ("town", "groups") : ("home", "clubs")
    return try await device.container.performBackgroundTask { context in
      let person = try context.person("Ada")
      let town = person.value(forKey: home) as? NSManagedObject
      let members = (person.value(forKey: groups) as? Set<NSManagedObject>) ?? []
      return names.map { "\(person.value(forKey: $0) ?? "nil")" }
        + ["\(town?.value(forKey: "name") ?? "nil")"]
        + members.compactMap { $0.value(forKey: "title") as? String }.sorted()
    }
  }

  private static let photo = Data(repeating: 7, count: MappingLimits.inlineBytes + 1)

  private func addAda(_ device: Device) async throws {
    try await device.save { context in
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
      let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
      let values: [String: Any] = [
        "name": "Ada", "email": "ada@example.com", "photo": Self.photo, "age": 36, "town": town,
        "groups": NSSet(object: group),
      ]
      for (key, value) in values { person.setValue(value, forKey: key) }
      town.setValue("London", forKey: "name")
      group.setValue("Chess", forKey: "title")
    }
  }

  @Test func `Versions with and without a renaming change a property, and neither loses anything`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let former = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(1))
      let closed = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(1))
      try await addAda(former)
      try await former.sync()
      try await closed.sync()
      try closed.close()
      let whole = ["ada@example.com", "\(Self.photo)", "36", "London", "Chess"]
      let updated = try await Device(
        cloud.signIn("ada"), in: folder, model: Self.model(2), file: closed.file)
      let fresh = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(2))
      for device in [updated, fresh] {
        try await device.sync()
        #expect(try await ada(device, 2) == whole)
      }
      // The former version changes the record, which the others import whole.
      try await former.change("Ada", ["age": 37])
      try await former.sync()
      for device in [updated, fresh] {
        try await device.sync()
        #expect(
          try await ada(device, 2) == ["ada@example.com", "\(Self.photo)", "37", "London", "Chess"])
      }
      // The new version changes a renamed property.
      try await updated.change("Ada", ["address": "ada@example.org"])
      try await updated.save { context in
        let person = try context.person("Ada")
        let (city, club) = (
          NSEntityDescription.insertNewObject(forEntityName: "City", into: context),
          NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        )
        city.setValue("Paris", forKey: "name")
        club.setValue("Go", forKey: "title")
        person.setValue(city, forKey: "home")
        person.mutableSetValue(forKey: "clubs").add(club)
      }
      for device in [updated, former, fresh] { try await device.sync() }
      let last = ["ada@example.org", "\(Self.photo)", "37", "Paris", "Chess", "Go"]
      #expect(try await ada(former, 1) == last)
      for device in [updated, fresh] { #expect(try await ada(device, 2) == last) }
      #expect(cloud.serverErrors.isEmpty)
      for device in [former, updated, fresh] {
        #expect(try device.container.conflicts().isEmpty)
        try device.close()
      }
    }
  }

  @Test
  func `A value under a former name is read, and cleared when the property is set again`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(2))
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
      let record = CKRecord(
        recordType: "CD_Person", recordID: CKRecord.ID(recordName: "P", zoneID: zoneID))
      let town = CKRecord(
        recordType: "CD_Town", recordID: CKRecord.ID(recordName: "T", zoneID: zoneID))
      for (field, value) in [
        "entityName": "Person", "name": "Ada", "address": "ada@example.com", "home": "T",
      ] {
        record["CD_" + field] = value
      }
      (town["CD_entityName"], town["CD_name"]) = ("City", "London")
      let results = try await database.modifyRecords(saving: [record, town], deleting: [])
      for (_, result) in results.saveResults { _ = try result.get() }
      try await device.sync()
      #expect(try await ada(device, 2) == ["ada@example.com", "nil", "nil", "London"])
      try await device.change("Ada", ["address": "ada@example.org"])
      try await device.sync()
      let saved = try await database.record(for: record.recordID)
      #expect(
        saved["CD_email"] as? String == "ada@example.org" && saved["CD_address"] as String? == nil)
      #expect(saved["CD_home"] as? String == "T" && saved["CD_town"] as String? == nil)
      try device.close()
    }
  }

  @Test func `A former name that another property now uses belongs to that property`() throws {
    var sketch = ModelSketch()
    let attributes = ["caption", "title", "name"].map {
      ModelSketch.attribute($0, .stringAttributeType)
    }
    attributes[0].renamingIdentifier = "title"
    attributes[1].renamingIdentifier = "name"
    sketch.entity("Note", attributes)
    let entity = try #require(try MirrorSchema(model: sketch.model, configuration: nil)["Note"])
    #expect(
      entity.attributes.map { "\($0.property) \($0.field)" } == [
        "caption CD_caption", "name CD_name", "title CD_title",
      ])
  }

  /// Another program renamed the entity without a renaming identifier, and writes records of a type
  /// with the present name.
  @Test func `Records of a renamed entity are read under both names and keep them`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(2))
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)
      for (number, entity) in ["City", "Town", nil].enumerated() {
        let record = CKRecord(
          recordType: "CD_City", recordID: CKRecord.ID(recordName: "C\(number)", zoneID: zoneID))
        record["CD_entityName"] = entity
        record["CD_name"] = "City \(number)"
        try await database.save(record)
      }
      try await device.sync()
      try await device.save { context in
        let cities = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "City"))
        let names = cities.compactMap { $0.value(forKey: "name") as? String }.sorted()
        #expect(names == ["City 0", "City 1", "City 2"])
        for city in cities { city.setValue("London", forKey: "name") }
      }
      try await device.sync()
      #expect(device.container.syncState.isUpToDate)
      let record = try await database.record(for: CKRecord.ID(recordName: "C0", zoneID: zoneID))
      #expect(record.recordType == "CD_City" && record["CD_name"] as String? == "London")
      try device.close()
    }
  }
}
