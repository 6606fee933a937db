import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

/// Two devices that each make what must be there once, while they do not know of each other.
@Suite("What must be unique", .timeLimit(.minutes(3)))
struct UniquenessTests {
  @Test func `Two devices that make the same come to one, and nobody who was related is left alone`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let model = AddressBook.model(isUnique: true)
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model)
      let other = try await Device(cloud.signIn("ada"), in: folder, model: AddressBook.model(isUnique: true))
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
      #expect(try await one.text().contains { $0.contains("name=Ada") && $0.contains("children=Bob,Cecil") })
      #expect(one.container.syncState.isUpToDate && other.container.syncState.isUpToDate)
      try one.close()
      try other.close()
    }
  }
}
