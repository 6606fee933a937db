import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import MirroringTestSupport
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// To-one relationships with a to-one inverse.
@Suite("One-to-one relationships", .endsAtAll)
struct OneToOneTests {
  private static func model() -> NSManagedObjectModel { AddressBook.modelWithPassports() }

  private func withDevices(
    isInParts: Bool = false, _ body: (Device, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var sizes = TransferSizes()
      if isInParts { (sizes.recordsInPage, sizes.pagesInSave) = (1, 1) }
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(), sizes: sizes)
      let other = try await Device(
        cloud.signIn("ada"), in: folder, model: Self.model(), sizes: sizes)
      for (entity, names) in [("Person", ["Ada", "Bob"]), ("Passport", ["P", "Q"])] {
        for name in names { try await one.add(entity, ["name": name]) }
      }
      for device in [one, other] { try await device.sync() }
      try await body(one, other)
      for _ in 0..<3 { for device in [one, other] { try await device.sync() } }
      let fresh = try await Device(cloud.signIn("ada"), in: folder, model: Self.model())
      try await fresh.sync()
      let text = try await fresh.text()
      for device in [one, other] {
        #expect(try await device.text() == text)
        #expect(device.container.syncState.isUpToDate)
        #expect(device.container.syncState.stores.first?.deferredReferenceCount == 0)
      }
      for device in [one, other, fresh] { try device.close() }
    }
  }

  private func give(_ passport: String, to name: String, _ device: Device) async throws {
    try await device.save { context in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Passport")
      request.predicate = NSPredicate(format: "name == %@", passport)
      let found = try #require(try context.fetch(request).first)
      try context.person(name).setValue(found, forKey: "passport")
    }
  }

  /// The owner of each passport.
  private func owners(_ device: Device) async throws -> [String: String] {
    try await device.container.performBackgroundTask { context in
      let passports = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport"))
      var owners: [String: String] = [:]
      for passport in passports {
        let owner = passport.value(forKey: "owner") as? NSManagedObject
        owners[passport.value(forKey: "name") as? String ?? ""] =
          owner?.value(forKey: "name") as? String
      }
      return owners
    }
  }

  @Test(arguments: [false, true])
  func `A target that two devices give to different objects has one owner on all devices`(
    isInParts: Bool
  )
    async throws
  {
    try await withDevices(isInParts: isInParts) { one, other in
      try await give("P", to: "Ada", one)
      try await give("P", to: "Bob", other)
      for _ in 0..<2 { for device in [one, other] { try await device.sync() } }
      #expect(try await owners(one).count == 1)
      #expect(try await owners(one) == owners(other))
    }
  }

  @Test(arguments: [false, true])
  func `An object with different targets on two devices has one target on all`(isInParts: Bool)
    async throws
  {
    try await withDevices(isInParts: isInParts) { one, other in
      try await give("P", to: "Ada", one)
      try await give("Q", to: "Ada", other)
      for _ in 0..<3 { for device in [one, other] { try await device.sync() } }
      #expect(try await Array(owners(one).values) == ["Ada"])
      #expect(try await owners(one) == owners(other))
    }
  }

  @Test(arguments: [("P", "Q"), ("Q", "P")], [false, true])
  func `A target that changes owners moves, whether in one page or several`(
    _ change: (String, String), isInParts: Bool
  ) async throws {
    try await withDevices(isInParts: isInParts) { one, other in
      try await give(change.0, to: "Ada", one)
      for device in [one, other] { try await device.sync() }
      #expect(try await owners(other) == [change.0: "Ada"])
      try await give(change.1, to: "Ada", one)
      for device in [one, other, one] { try await device.sync() }
      for device in [one, other] { #expect(try await owners(device) == [change.1: "Ada"]) }
    }
  }

  @Test func `A claim's lost target can be listed and restored`() async throws {
    try await withDevices { one, other in
      try await give("P", to: "Ada", one)
      try await give("Q", to: "Ada", other)
      for _ in 0..<2 { for device in [one, other] { try await device.sync() } }
      let winner = try #require(try await owners(other).first?.key)
      // The passport's side decides, so it loses the value.
      let conflict = try #require(try other.container.conflicts().first { $0.property == "owner" })
      #expect(try await conflict.overwrittenValue as? NSManagedObjectID == other.person("Ada"))
      #expect(try await name(of: conflict.objectID, other) == (winner == "P" ? "Q" : "P"))
      // Restoring it takes it from its present owner.
      try other.container.undo(conflict)
      for _ in 0..<2 { for device in [other, one] { try await device.sync() } }
      for device in [one, other] {
        #expect(try await owners(device) == [winner == "P" ? "Q" : "P": "Ada"])
      }
    }
  }

  private func name(of object: NSManagedObjectID, _ device: Device) async throws -> String? {
    try await device.container.performBackgroundTask { context in
      try context.existingObject(with: object).value(forKey: "name") as? String
    }
  }

  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  private func record(_ name: String, owner: String?) -> CKRecord {
    let record = CKRecord(
      recordType: "CD_Passport", recordID: CKRecord.ID(recordName: name, zoneID: Self.zoneID))
    for (field, value) in ["CD_entityName": "Passport", "CD_name": name, "CD_owner": owner] {
      record[field] = value
    }
    return record
  }

  @Test
  func `Of several waiting objects the one with the smallest record name gets a released target`()
    async throws
  {
    try await withDevices(isInParts: true) { one, other in
      let database = one.engine.mirror.container.privateCloudDatabase
      let ada = try await one.recordName(of: "Ada")
      let holder = try await database.save(record("-", owner: ada))
      try await one.sync()
      #expect(try await owners(one) == ["-": "Ada"])
      for name in ["b", "a"] { try await database.save(record(name, owner: ada)) }
      holder["CD_owner"] = nil as String?
      try await database.save(holder)
      for device in [one, other] { try await device.sync() }
      #expect(try await owners(one) == ["a": "Ada"])
    }
  }

  @Test
  func `A waiting object precedes a larger record name that arrives when the target is released`()
    async throws
  {
    try await withDevices(isInParts: true) { one, other in
      let database = one.engine.mirror.container.privateCloudDatabase
      let ada = try await one.recordName(of: "Ada")
      let holder = try await database.save(record("-", owner: ada))
      for device in [one, other] { try await device.sync() }
      try await database.save(record("b", owner: ada))
      holder["CD_owner"] = nil as String?
      try await database.save(holder)
      try await database.save(record("z", owner: ada))
      for device in [one, other] { try await device.sync() }
      #expect(try await owners(one) == ["b": "Ada"])
      let loss = try #require(try one.container.conflicts().first { $0.property == "owner" })
      #expect(try await name(of: loss.objectID, one) == "z")
    }
  }

  /// No device can know whether an unreadable record still claims its target.
  @Test func `An object that waits for the target of an unreadable record keeps waiting`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = Self.model()
      model.entitiesByName["Passport"]?.properties.append(
        ModelSketch.attribute("photo", .binaryDataAttributeType))
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model)
      let photo = Data(repeating: 1, count: MappingLimits.inlineBytes + 1)
      try await one.add("Person", ["name": "Ada"])
      try await one.add("Passport", ["name": "P", "photo": photo])
      try await give("P", to: "Ada", one)
      for device in [one, other] { try await device.sync() }
      try await change(one, photo + Data([2]))
      try await one.save { try $0.person("Ada").setValue(nil, forKey: "passport") }
      try await one.sync()
      try cloud.loseFiles()
      let database = one.engine.mirror.container.privateCloudDatabase
      try await database.save(record("z", owner: try await one.recordName(of: "Ada")))
      try await other.sync()
      #expect(other.container.syncState.blocker?.code == .unreadableRecord)
      #expect(other.container.syncState.stores.first?.deferredReferenceCount == 1)
      let claim = try await database.record(for: CKRecord.ID(recordName: "z", zoneID: Self.zoneID))
      #expect(claim["CD_owner"] as String? != nil, "No claim was dropped.")
      try await change(one, photo + Data([3]))
      for device in [one, one, other] { try await device.sync() }
      for device in [one, other] {
        #expect(try await owners(device) == ["z": "Ada"])
        #expect(device.container.syncState.isUpToDate)
        try device.close()
      }
    }
  }

  private func change(_ device: Device, _ photo: Data) async throws {
    try await device.save { context in
      let passports = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport"))
      passports.first { $0.value(forKey: "name") as? String == "P" }?.setValue(
        photo, forKey: "photo")
    }
  }
}
