import CloudKitTesting
import CoreData
import Foundation
import GroceryLists
import Testing

struct GroceryListsTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "groceries-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  private func device(_ name: String, _ cloud: TestCloud, in folder: URL) async throws -> Groceries
  {
    try await Groceries(
      file: folder.appendingPathComponent(name),
      cloud: NSPersistentCloudKitContainerOptions(
        container: try await cloud.signIn("ada").container))
  }

  @Test func `Additions, changes and removals on one device reach the other`() async throws {
    try await withFolder { folder in
      let cloud = try await TestCloud()
      let (one, other) = (
        try await device("One.sqlite", cloud, in: folder),
        try await device("Other.sqlite", cloud, in: folder)
      )
      try await one.add("Milk", to: "Home")
      try await one.add("Bread", to: "Home")
      try await one.sync()
      try await other.sync()
      try await other.change("Milk") { $0.isDone = true }
      try await other.remove("Bread")
      try await other.sync()
      try await one.sync()
      #expect(try await one.lines() == ["Home: [x] Milk"])
      #expect(try await other.lines() == ["Home: [x] Milk"])
    }
  }

  @Test func `A device without its store gets everything again`() async throws {
    try await withFolder { folder in
      let cloud = try await TestCloud()
      let one = try await device("One.sqlite", cloud, in: folder)
      try await one.add("Cake", photo: Data(repeating: 1, count: 2 << 20), to: "Party")
      try await one.sync()
      let again = try await device("Again.sqlite", cloud, in: folder)
      try await again.sync()
      #expect(try await again.lines() == ["Party: [ ] Cake + 2048 KB"])
    }
  }
}
