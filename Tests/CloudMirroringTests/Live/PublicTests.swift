import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import TestSupport
import Testing

/// A public database, which tells nobody of its changes: it is asked.
@Suite("A public database", .timeLimit(.minutes(3)))
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
}
