import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import TestSupport
import Testing

/// What costs time where there is much: counted in requests, not in seconds.
@Suite("Many objects", .timeLimit(.minutes(3)))
struct ManyObjectsTests {
  @Test func `A save that fits travels in one request, and a rest costs none`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      try await device.save { context in
        for number in 0..<150 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
        }
      }
      let before = device.network.requestCount
      let outcome = await device.engine.exportOnce()
      #expect(outcome.fault == nil && outcome.hasMoved)
      #expect(device.network.requestCount - before == 1)
      _ = await device.engine.exportOnce()
      #expect(device.network.requestCount - before == 1, "An empty outbox asks nothing.")
      try device.close()
    }
  }

  @Test func `A reference that comes before its target is set when that comes`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      // The town is changed last, so that the feed tells of it last: behind pages of people who live there.
      try await one.save { context in
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        town.setValue("London", forKey: "name")
        for number in 0..<1_500 {
          let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
          person.setValue("Person \(number)", forKey: "name")
          person.setValue(town, forKey: "town")
        }
      }
      try await one.sync()
      try await one.save { context in
        let town = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Town")).first
        town?.setValue("Londinium", forKey: "name")
      }
      try await one.sync()
      try await other.sync()
      #expect(try await one.text() == other.text())
      #expect(other.container.syncState.stores.first?.waitingReferenceCount == 0)
      try one.close()
      try other.close()
    }
  }
}
