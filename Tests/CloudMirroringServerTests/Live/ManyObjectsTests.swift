import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import ObjectRows
import Synchronization
import TestSupport
import Testing

/// Costs of large stores, counted in requests and not in seconds.
@Suite("Many objects", .endsAtAll)
struct ManyObjectsTests {
  @Test func `A save that fits is one request, and an idle store sends none`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = try await Device(cloud.signIn("ada"), in: folder)
      try await device.sync()
      try await device.addPeople(0..<150)
      let before = device.network.requestCount
      let outcome = await device.engine.exportOnce()
      #expect(outcome.failure == nil && outcome.hasMoved)
      #expect(device.network.requestCount - before == 1)
      _ = await device.engine.exportOnce()
      #expect(device.network.requestCount - before == 1, "An empty outbox sends no request.")
      try device.close()
    }
  }

  @Test func `Only the next part of a long feed is prefetched`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let other = try await Device(signedIn, in: folder, through: transport)
      for number in 0..<5 { try await one.addPeople(500 * number..<500 * (number + 1)) }
      try await one.sync()
      let counts = Mutex<[Int]>([])
      transport.watch { request in
        guard request.address.contains("changes/zone") else { return }
        let count = (try? await other.names().count) ?? -1
        counts.withLock { $0.append(count) }
      }
      try await other.sync()
      transport.watch(nil)
      // Five pages of 200 make one save, which comes after the requests for the next five.
      let asked = counts.withLock(\.self)
      #expect(asked == Array(repeating: 0, count: 10) + Array(repeating: 1_000, count: 3))
      #expect(try await other.names().count == 2_500)
      try one.close()
      try other.close()
    }
  }

  @Test
  func `An interrupted first import lists nothing twice, even after a save`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      try await one.addPeople(0..<1_300)
      try await one.sync()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let other = try await Device(signedIn, in: folder, through: transport)
      try await other.add("Person", ["name": "Own"])
      let pages = Requests()
      transport.watch { request in
        // Five pages make one save, and the sixth is requested before it.
        guard request.address.contains("changes/zone"), pages.next() == 6 else { return }
        signedIn.network.isOnline = false
      }
      #expect(await other.engine.run(.setUp).failure == nil)
      #expect(await other.engine.importOnce().failure?.kind == .offline)
      #expect(try await other.names().count == 1_001)
      try other.close()
      signedIn.network.isOnline = true
      let listed = Requests()
      transport.watch { request in if request.address.contains("changes/zone") { _ = listed.next() }
      }
      let again = try await Device(signedIn, in: folder, file: other.file, through: transport)
      #expect(await again.engine.run(.setUp).failure == nil)
      #expect(await again.engine.importOnce().failure == nil)
      #expect(try await again.names().count == 1_301)
      #expect(listed.next() == 2 + 1, "The rest has two pages.")
      try await again.sync()
      try await one.sync()
      #expect(try await one.text() == again.text())
      try one.close()
      try again.close()
    }
  }

  @Test func `A reference that arrives before its target is set when the target arrives`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      // The town changes last, so the feed has it after pages of its people.
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
      #expect(other.container.syncState.stores.first?.deferredReferenceCount == 0)
      try one.close()
      try other.close()
    }
  }
}

extension Device {
  /// Inserts people with numbers and saves them.
  fileprivate func addPeople(_ numbers: Range<Int>) async throws {
    try await save { context in
      for number in numbers {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Person \(number)", forKey: "name")
      }
    }
  }
}
