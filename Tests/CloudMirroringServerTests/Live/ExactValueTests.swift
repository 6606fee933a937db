import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import PredicateLanguage
import TestSupport
import Testing

/// Values that Apple's fields cannot hold exactly, on two devices.
@Suite("Exact values", .endsAtAll)
struct ExactValueTests {
  private static func model() -> NSManagedObjectModel {
    var sketch = ModelSketch()
    sketch.entity(
      "Person",
      [
        ModelSketch.attribute("name", .stringAttributeType),
        ModelSketch.attribute("met", .dateAttributeType),
        ModelSketch.attribute("size", .doubleAttributeType),
      ])
    return sketch.model
  }

  private func names(_ device: Device) async throws -> [String] {
    try await device.container.performBackgroundTask { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
      request.sortDescriptors = [NSSortDescriptor(key: "met", ascending: true)]
      return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
    }
  }

  @Test func `Dates within a millisecond have the same order on all devices`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let devices = [
        try await Device(cloud.signIn("ada"), in: folder, model: Self.model()),
        try await Device(cloud.signIn("ada"), in: folder, model: Self.model()),
      ]
      for (device, fraction) in zip(devices, [0.000_4, 0.000_2]) {
        try await device.add(
          "Person",
          [
            "name": "\(fraction)",
            "met": Date(timeIntervalSinceReferenceDate: 1_700_000_000 + fraction),
          ])
      }
      for device in devices + devices { try await device.sync() }
      for device in devices { #expect(try await names(device) == ["0.0002", "0.0004"]) }
      for device in devices { try device.close() }
    }
  }

  @Test func `Infinite numbers arrive, and disappear when a device clears them`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await one.add("Person", ["name": "Ada", "size": -Double.infinity])
      try await one.sync()
      try await other.sync()
      #expect(try await other.value("Ada", "size") == "-inf")
      try await other.save { try $0.person("Ada").setValue(nil, forKey: "size") }
      try await other.sync()
      try await one.sync()
      #expect(try await one.value("Ada", "size") == "nil")
      for device in [one, other] { try device.close() }
    }
  }

  @Test func `A number that another program clears does not keep its former value`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await device.add("Person", ["name": "Ada", "size": Double.infinity])
      try await device.sync()
      try await device.change("Ada", ["size": 1.5])
      try await device.sync()
      // The other program knows only Apple's fields.
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let recordID = try #require(device.container.recordID(for: try await device.person("Ada")))
      let record = try await database.record(for: recordID)
      record["CD_size"] = nil as Double?
      try await database.save(record)
      try await device.sync()
      #expect(try await device.value("Ada", "size") == "nil")
      try device.close()
    }
  }

  @Test
  func `An exact value under a former name arrives and is cleared`() async throws {
    try await withTemporaryDirectory { folder in
      func model(renaming former: String?) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        let length = ModelSketch.attribute("length", .doubleAttributeType)
        length.renamingIdentifier = former
        sketch.entity("Person", [ModelSketch.attribute("name", .stringAttributeType), length])
        return sketch.model
      }
      let cloud = try await TestCloud()
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model(renaming: nil))
      for name in ["Ada", "Bob"] {
        try await other.add("Person", ["name": name, "length": Double.infinity])
      }
      try await other.sync()
      let device = try await Device(cloud.signIn("ada"), in: folder, model: model(renaming: "size"))
      try await device.sync()
      #expect(try await device.value("Bob", "length") == "inf")
      try await device.change("Ada", ["length": 1.5])
      try await device.sync()
      let database = try await cloud.signIn("ada").container.privateCloudDatabase
      let recordID = try #require(device.container.recordID(for: try await device.person("Ada")))
      let record = try await database.record(for: recordID)
      #expect(record["CD_size"] as Double? == 1.5)
      #expect(!record.allKeys().contains { $0.hasSuffix(MirrorNames.exactSuffix) })
      for device in [other, device] { try device.close() }
    }
  }

  @Test func `A field that one type lacks leaves the exact values of others unchanged`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        for entity in ["Person", "Pet"] {
          sketch.entity(
            entity,
            [
              ModelSketch.attribute("name", .stringAttributeType),
              ModelSketch.attribute("met", .dateAttributeType),
              ModelSketch.attribute("size", .doubleAttributeType),
            ])
        }
        return sketch.model
      }
      let fields = "CD_entityName STRING, CD_name STRING, CD_met TIMESTAMP, CD_size DOUBLE"
      let cloud = try await TestCloud()
      try await cloud.importSchema(
        "DEFINE SCHEMA RECORD TYPE CD_Person (\(fields), PH_size_exact STRING); "
          + "RECORD TYPE CD_Pet (\(fields), PH_met_exact STRING, PH_size_exact STRING);")
      try await cloud.deploySchema()
      let devices = [
        try await Device(cloud.signIn("ada", to: .production), in: folder, model: model()),
        try await Device(cloud.signIn("ada", to: .production), in: folder, model: model()),
      ]
      let met = Date(timeIntervalSinceReferenceDate: 1.000_4)
      for entity in ["Person", "Pet"] {
        try await devices[0].add(entity, ["name": entity, "met": met, "size": Double.infinity])
      }
      for device in devices { try await device.sync() }
      let found = try await devices[1].container.performBackgroundTask { context in
        try ["Person", "Pet"].map { entity in
          let object = try #require(
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).first)
          return (
            met: object.value(forKey: "met") as? Date, size: object.value(forKey: "size") as? Double
          )
        }
      }
      #expect(found.map(\.size) == [.infinity, .infinity])
      #expect(found[0].met == Date(timeIntervalSinceReferenceDate: 1) && found[1].met == met)
      for device in devices { try device.close() }
    }
  }

  /// A schema that was deployed without fields for exact values.
  @Test func `Records are sent without exact values if the schema has no fields for them`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      try await cloud.importSchema(
        "DEFINE SCHEMA RECORD TYPE CD_Person (CD_entityName STRING, CD_name STRING, CD_met TIMESTAMP, CD_size DOUBLE);"
      )
      try await cloud.deploySchema()
      let device = try await Device(
        cloud.signIn("ada", to: .production), in: folder, model: Self.model())
      try await device.add(
        "Person",
        ["name": "Ada", "met": Date(timeIntervalSinceReferenceDate: 1.000_4), "size": 1.5])
      try await device.add("Person", ["name": "Bob", "size": Double.infinity])
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await device.sync()
      }
      #expect(
        blocker?.code == .schemaNotDeployed && blocker?.message.contains("PH_size_exact") == true)
      #expect(device.container.syncState.pendingChangeCount == 1)
      // A change of an existing record clears no field that the schema lacks.
      try await device.change("Ada", ["met": Date(timeIntervalSinceReferenceDate: 2)])
      _ = try? await device.sync()
      #expect(device.container.syncState.pendingChangeCount == 1)
      let other = try await Device(
        cloud.signIn("ada", to: .production), in: folder, model: Self.model())
      try await other.sync()
      #expect(try await names(other) == ["Ada"])
      // A later version deploys the fields.
      try await cloud.importSchema(
        "DEFINE SCHEMA RECORD TYPE CD_Person (CD_entityName STRING, CD_name STRING, CD_met TIMESTAMP, CD_size DOUBLE, "
          + "PH_met_exact STRING, PH_size_exact STRING);")
      try await cloud.deploySchema()
      for device in [device, other] { try await device.sync() }
      #expect(try await other.value("Bob", "size") == "inf")
      for device in [device, other] { try device.close() }
    }
  }
}
