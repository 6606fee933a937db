import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import TestSupport
import Testing

/// Relationships that lead to one object, and back to one.
@Suite("One-to-one relationships", .endsAtAll)
struct OneToOneTests {
  private static func model() -> NSManagedObjectModel {
    let model = AddressBook.model()
    guard let person = model.entitiesByName["Person"] else { return model }
    var sketch = ModelSketch()
    let passport = sketch.entity("Passport", [ModelSketch.attribute("name", .stringAttributeType)])
    sketch.relate(person, "passport", to: passport, "owner")
    model.entities += [passport]
    return model
  }

  private func withDevices(
    isInParts: Bool = false, _ body: (Device, Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      var seam = MirrorSeam()
      if isInParts { (seam.recordsInPage, seam.pagesInSave) = (1, 1) }
      let one = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(), seam: seam)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: Self.model(), seam: seam)
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
        #expect(device.container.syncState.stores.first?.waitingReferenceCount == 0)
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

  /// Who has which passport.
  private func owners(_ device: Device) async throws -> [String: String] {
    try await device.container.performBackgroundTask { context in
      let passports = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Passport"))
      var owners: [String: String] = [:]
      for passport in passports {
        let owner = passport.value(forKey: "owner") as? NSManagedObject
        owners[passport.value(forKey: "name") as? String ?? ""] = owner?.value(forKey: "name") as? String
      }
      return owners
    }
  }

  @Test(arguments: [false, true])
  func `What two devices give to different people is one's on all devices`(isInParts: Bool) async throws {
    try await withDevices(isInParts: isInParts) { one, other in
      try await give("P", to: "Ada", one)
      try await give("P", to: "Bob", other)
      for _ in 0..<2 { for device in [one, other] { try await device.sync() } }
      #expect(try await owners(one).count == 1)
      #expect(try await owners(one) == owners(other))
    }
  }

  @Test(arguments: [false, true])
  func `Who gets different ones on two devices has one on all`(isInParts: Bool) async throws {
    try await withDevices(isInParts: isInParts) { one, other in
      try await give("P", to: "Ada", one)
      try await give("Q", to: "Ada", other)
      for _ in 0..<3 { for device in [one, other] { try await device.sync() } }
      #expect(try await Array(owners(one).values) == ["Ada"])
      #expect(try await owners(one) == owners(other))
    }
  }

  @Test(arguments: [("P", "Q"), ("Q", "P")], [false, true])
  func `What goes from one to the other goes over, in one part or in several`(
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
}
