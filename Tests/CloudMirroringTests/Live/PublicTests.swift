import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import TestSupport
import Testing

/// A public database, which tells nobody of its changes: it is asked.
@Suite("A public database", .endsAtAll)
struct PublicTests {
  @Test func `What one person adds, changes and deletes appears with others`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.add("Person", ["name": "Cecil"])
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.names() == ["Ada", "Cecil"])
      let person = try await bob.person("Ada")
      #expect(!bob.container.canUpdateRecord(forManagedObjectWith: person), "It is Ada's.")
      #expect(ada.container.canUpdateRecord(forManagedObjectWith: try await ada.person("Ada")))
      try await ada.change("Ada", ["email": "ada@example.com"])
      try await ada.delete("Cecil")
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.value("Ada", "email") == "ada@example.com")
      // Nobody tells of deletions: names are compared once a day.
      try await cloud.advance(by: .seconds(90_000))
      try await bob.sync()
      #expect(try await bob.names() == ["Ada"])
      try ada.close()
      try bob.close()
    }
  }

  @Test func `Since when to ask is the server's to say, whatever the device's clock shows`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public, clockIsAheadBySeconds: 31_536_000)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await bob.sync()
      try await cloud.advance(by: .seconds(3_600))
      try await ada.add("Person", ["name": "Cecil"])
      try await ada.change("Ada", ["email": "new"])
      try await ada.sync()
      try await bob.sync()
      #expect(try await bob.names() == ["Ada", "Cecil"])
      #expect(try await bob.value("Ada", "email") == "new")
      try ada.close()
      try bob.close()
    }
  }

  @Test func `What was deleted elsewhere does not come back because it was changed here`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let other = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      for name in ["Ada", "Bob"] { try await one.add("Person", ["name": name]) }
      try await one.sync()
      try await other.sync()
      try await other.delete("Ada")
      try await other.sync()
      try await one.change("Ada", ["email": "late"])
      try await one.change("Bob", ["email": "kept"])
      try await one.sync()
      try await other.sync()
      #expect(try await one.names() == ["Bob"])
      #expect(try await other.names() == ["Bob"])
      #expect(try await other.value("Bob", "email") == "kept")
      #expect(try one.container.conflicts().map(\.keptLocal) == [false], "What was changed can be looked up.")
      try one.close()
      try other.close()
    }
  }

  @Test func `A record of somebody else's is held back, and one's own goes`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await Device(cloud.signIn("ada"), in: folder, scope: .public)
      let bob = try await Device(cloud.signIn("bob"), in: folder, scope: .public)
      try await ada.add("Person", ["name": "Ada"])
      try await ada.sync()
      try await bob.sync()
      try await bob.change("Ada", ["email": "not Bob's to change"])
      try await bob.add("Person", ["name": "Bob"])
      let blocker = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) { try await bob.sync() }
      #expect(blocker?.code == .permission)
      let person = try await bob.person("Ada")
      guard case .pending(let reason) = try bob.container.why(person) else {
        Issue.record("not pending")
        return
      }
      #expect(reason?.code == .permission)
      try await ada.sync()
      #expect(try await ada.names() == ["Ada", "Bob"])
      #expect(try await ada.value("Ada", "email") == "nil")
      try ada.close()
      try bob.close()
    }
  }
}
