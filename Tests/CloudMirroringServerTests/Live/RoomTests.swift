import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import PredicateLanguage
import TestSupport
import Testing

/// A full account, whose owner frees space on the device that filled it.
@Suite("Account quota", .endsAtAll)
struct RoomTests {
  private static let long = String(repeating: "x", count: 30_000)

  /// A full account with one large object.
  ///
  /// Another device receives what is sent.
  private func withFullAccount(
    takesAlong: Bool = false, _ body: (_ device: Device, _ other: Device) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud(chance: TestRandomness()) { $0.privateDatabaseBytes = 40_000 }
      let model = { AddressBook.model(takesAlong: takesAlong) }
      let device = try await Device(cloud.signIn("ada"), in: folder, model: model())
      let other = try await Device(cloud.signIn("ada"), in: folder, model: model())
      try await device.add("Person", ["name": "Large", "email": Self.long])
      try await device.sync()
      try await body(device, other)
      try device.close()
      try other.close()
    }
  }

  private func code(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker
    .Code?
  {
    do {
      try await device.sync()
      return nil
    } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker.code
    }
  }

  /// Saves more than one request holds, all of it beyond the quota.
  private func addTooMuch(_ device: Device) async throws {
    try await device.save { context in
      for number in 0..<14 {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Too much \(number)", forKey: "name")
        person.setValue(String(repeating: "x", count: 100_000), forKey: "email")
      }
    }
  }

  @Test func `Deletions make space for pending entries in the same request`() async throws {
    try await withFullAccount { device, other in
      try await device.add("Person", ["name": "New", "email": Self.long])
      #expect(try await code(device) == .quotaExceeded)
      try await device.delete("Large")
      #expect(try await code(device) == nil)
      try await other.sync()
      #expect(try await other.names() == ["New"])
    }
  }

  @Test func `Shrinking values make space for pending entries in the same request`() async throws {
    try await withFullAccount { device, other in
      try await device.add("Person", ["name": "New", "email": Self.long])
      #expect(try await code(device) == .quotaExceeded)
      try await device.change("Large", ["email": "short"])
      #expect(try await code(device) == nil)
      try await other.sync()
      #expect(try await other.names() == ["Large", "New"])
    }
  }

  @Test func `Deletions are sent although earlier entries exceed the quota`() async throws {
    try await withFullAccount { device, other in
      try await addTooMuch(device)
      #expect(try await code(device) == .quotaExceeded)
      try await device.delete("Large")
      #expect(try await code(device) == .quotaExceeded)
      try await other.sync()
      #expect(try await other.names().isEmpty)
      #expect(device.container.syncState.stores.first?.pendingChangeCount == 14)
    }
  }

  @Test func `Shrinking values are sent although earlier entries exceed the quota`() async throws {
    try await withFullAccount { device, other in
      try await device.add("Person", ["name": "Small"])
      try await device.sync()
      try await addTooMuch(device)
      try await device.change("Small", ["email": Self.long])
      #expect(try await code(device) == .quotaExceeded)
      try await device.change("Large", ["email": "short"])
      #expect(try await code(device) == .quotaExceeded)
      try await other.sync()
      #expect(try await other.value("Large", "email") == "short")
      // The entry that it made space for is sent along.
      #expect(try await other.value("Small", "email") == Self.long)
    }
  }

  @Test func `New objects are sent once earlier ones beyond the quota are deleted`() async throws {
    try await withFullAccount { device, other in
      try await addTooMuch(device)
      try await device.add("Person", ["name": "New", "email": Self.long])
      try await device.delete("Large")
      #expect(try await code(device) == .quotaExceeded)
      try await other.sync()
      #expect(try await other.names().isEmpty)
      try await device.save { context in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        for person in try context.fetch(request)
        where person.value(forKey: "name") as? String != "New" {
          context.delete(person)
        }
      }
      #expect(try await code(device) == nil)
      try await other.sync()
      #expect(try await other.names() == ["New"])
    }
  }

  @Test func `No deletion is sent that would cascade to moved objects that exceed the quota`()
    async throws
  {
    try await withFullAccount(takesAlong: true) { device, other in
      for name in ["Old", "New"] { try await device.add("Town", ["name": name]) }
      try await device.add("Person", ["name": "Ada"])
      try await device.save { context in
        try context.person("Ada").setValue(try context.town("Old"), forKey: "town")
      }
      try await device.sync()
      try await other.sync()
      try await addTooMuch(device)
      try await device.save { context in
        let ada = try context.person("Ada")
        ada.setValue(try context.town("New"), forKey: "town")
        ada.setValue(Self.long, forKey: "email")
      }
      try await device.save { context in context.delete(try context.town("Old")) }
      #expect(try await code(device) == .quotaExceeded)
      try await other.sync()
      #expect(try await other.names() == ["Ada", "Large"])
      // There is space for the moved object, but not for the new one.
      try await device.delete("Large")
      #expect(try await code(device) == .quotaExceeded)
      try await other.sync()
      #expect(try await other.names() == ["Ada"])
      #expect(try await other.text().filter { $0.hasPrefix("Town") }.count == 1)
    }
  }

  @Test func `An account that stays full accumulates no files of attempts`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud(chance: TestRandomness()) { $0.privateDatabaseBytes = 5_000 }
      let device = try await Device(cloud.signIn("ada"), in: folder)
      for name in ["Ada", "Bob"] {
        try await device.add(
          "Person", ["name": name, "photo": Data(count: MappingLimits.inlineBytes + 100)])
      }
      for _ in 0..<3 { #expect(try await code(device) == .quotaExceeded) }
      // Each object has its own request.
      for _ in 0..<3 {
        #expect(
          await device.engine.exportOnce(ExportLimits(bytes: 100)).failure?.kind == .quotaExceeded)
      }
      let files = device.file.deletingPathExtension().path + "_ckAssets"
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: files).filter { !$0.hasPrefix(".") }
          == [])
      try device.close()
    }
  }
}

extension NSManagedObjectContext {
  fileprivate func town(_ name: String) throws -> NSManagedObject {
    let towns = try fetch(NSFetchRequest<NSManagedObject>(entityName: "Town"))
    guard let town = towns.first(where: { $0.value(forKey: "name") as? String == name }) else {
      throw NoSuchPerson(name: name)
    }
    return town
  }
}
