import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

/// Objects with the same unique value, some of which are shared.
@Suite struct SharedDuplicateTests {
  /// Record names decide which of two objects stays; with several, both kinds are likely.
  private static let count = 4

  @Test(.endsAtAll, arguments: [true, false])
  func `Duplicates inside and outside of a share become one object, with all in one zone`(
    isSharedFirst: Bool
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let account = try await cloud.signIn("ada")
      let model = AddressBook.model(isUnique: true)
      let tablet = try await SharingDevice(account, in: folder, model: model)
      let phone = try await SharingDevice(
        try await cloud.signIn("ada"), in: folder, model: model)
      try await tablet.addTown("Paris", people: ["Bob"])
      try await tablet.addTown("Rome", people: ["Carl"])
      try await tablet.sync()
      try await tablet.share(["Paris"])
      for device in [tablet, phone, tablet] { try await device.sync() }
      // Two devices insert people with the same addresses, each in another town, and with children.
      for (device, town) in [(tablet, "Paris"), (phone, "Rome")] {
        try await device.save { context in
          for number in 0..<Self.count {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue("Eve \(number) of \(town)", forKey: "name")
            person.setValue("eve-\(number)@example.com", forKey: "email")
            person.setValue(try context.object(town, "Town"), forKey: "town")
            context.assign(person, toShared: false)
            let child = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            child.setValue("Child \(number) in \(town)", forKey: "name")
            child.setValue(person, forKey: "parent")
            context.assign(child, toShared: false)
          }
        }
      }
      let order = isSharedFirst ? [tablet, phone] : [phone, tablet]
      for _ in 0..<4 { for device in order { try await device.sync() } }
      for device in [tablet, phone] {
        #expect(try await device.people().filter { $0.hasPrefix("Eve") }.count == Self.count)
        #expect(try await device.relationsBetweenZones() == [])
        #expect(try await device.people().filter { $0.hasPrefix("Child") }.count == 2 * Self.count)
      }
      let zones = try await [tablet.zones(), phone.zones()]
      #expect(zones[0] == zones[1])
      #expect(cloud.serverErrors.isEmpty)
      await cloud.end()
    }
  }
}

extension SharingDevice {
  /// The names of people who are in another zone than their town or their parent.
  fileprivate func relationsBetweenZones() async throws -> [String] {
    try await container.performBackgroundTask { [container] context in
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).filter { person in
        let zone = container.recordID(for: person.objectID)?.zoneID
        return ["town", "parent"].contains { name in
          guard let other = person.value(forKey: name) as? NSManagedObject else { return false }
          return container.recordID(for: other.objectID)?.zoneID != zone
        }
      }.compactMap { $0.value(forKey: "name") as? String }.sorted()
    }
  }

  /// The zones of all people and towns, by name.
  fileprivate func zones() async throws -> [String: String?] {
    let names = try await container.performBackgroundTask { context in
      try ["Person", "Town"].map { entity in
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).compactMap {
          $0.value(forKey: "name") as? String
        }
      }
    }
    var zones: [String: String?] = [:]
    for name in names[0] { zones[name] = try await zone(name) }
    for name in names[1] { zones[name] = try await zone(name, "Town") }
    return zones
  }
}
