import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import Synchronization
import TestSupport
import Testing

/// A device downloads asset files only if it lacks them.
@Suite("Asset files", .endsAtAll)
struct AssetFileTests {
  private static func photo(_ byte: UInt8) -> Data {
    Data(repeating: byte, count: MappingLimits.inlineBytes + 100)
  }

  /// A device whose downloads are counted.
  private func device(
    _ cloud: TestCloud, _ folder: URL, model: NSManagedObjectModel = AddressBook.model()
  ) async throws -> (Device, WatchedTransport) {
    let signedIn = try await cloud.signIn("ada")
    let transport = WatchedTransport(signedIn.transport)
    return (try await Device(signedIn, in: folder, model: model, through: transport), transport)
  }

  @Test(arguments: [false, true])
  func `A device does not fetch files that it sent or already has`(isOrdered: Bool) async throws {
    let model = { isOrdered ? AddressBook.model(isOrdered: true) : AddressBook.model() }
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (one, mine) = try await device(cloud, folder, model: model())
      let (other, theirs) = try await device(cloud, folder, model: model())
      try await one.add("Person", ["name": "Ada", "photo": Self.photo(1)])
      for _ in 0..<2 { for device in [one, other] { try await device.sync() } }
      #expect(mine.downloadCount == 0)
      #expect(theirs.downloadCount == 1)
      // Without tokens, the next sync makes a full listing.
      for device in [one, other] {
        #expect(await device.engine.run(.reset(.tokens)).failure == nil)
        try await device.sync()
      }
      #expect(mine.downloadCount == 0)
      #expect(theirs.downloadCount == 1)
      try await other.change("Ada", ["photo": Self.photo(2)])
      for device in [other, one, other] { try await device.sync() }
      #expect(mine.downloadCount == 1)
      #expect(theirs.downloadCount == 1)
      for device in [one, other] {
        #expect(try await device.value("Ada", "photo") == "\(Self.photo(2))")
        #expect(device.container.syncState.isUpToDate)
        try device.close()
      }
    }
  }

  @Test func `A device with a conflicting change fetches the files that it lacks`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let (one, mine) = try await device(cloud, folder)
      let (other, _) = try await device(cloud, folder)
      try await one.add("Person", ["name": "Ada", "photo": Self.photo(1)])
      for device in [one, other] { try await device.sync() }
      try await other.change("Ada", ["photo": Self.photo(2)])
      try await one.change("Ada", ["age": 7])
      for device in [other, one, other] { try await device.sync() }
      #expect(mine.downloadCount > 0)
      for device in [one, other] {
        #expect(try await device.value("Ada", "photo") == "\(Self.photo(2))")
        #expect(try await device.value("Ada", "age") == "7")
        try device.close()
      }
    }
  }
}
