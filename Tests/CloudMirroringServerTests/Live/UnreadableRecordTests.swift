import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorModel
import TestSupport
import Testing

/// Records with permanently missing data do not hold up others, and no data of them is lost.
@Suite("Unreadable records", .endsAtAll)
struct UnreadableRecordTests {
  /// The blocker after a synchronisation, whether or not that throws.
  private func blocker(_ device: Device) async throws -> NSPersistentCloudKitContainer.SyncBlocker?
  {
    do { try await device.sync() } catch let blocker as NSPersistentCloudKitContainer.SyncBlocker {
      return blocker
    }
    return device.container.syncState.blocker
  }

  private static func photo(_ byte: UInt8) -> Data {
    Data(repeating: byte, count: MappingLimits.inlineBytes + 100)
  }

  @Test func `A missing file holds up no other import or export`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.add("Person", ["name": "Ada", "photo": Self.photo(1)])
      try await one.add("Person", ["name": "Bob"])
      try await one.sync()
      try cloud.loseFiles()
      try await other.add("Person", ["name": "Cyd"])
      for _ in 0..<2 {
        try await cloud.advance(by: .seconds(60))
        // No local change waits for the record, and everything else is done, so nothing is thrown.
        try await other.sync()
        let found = try #require(other.container.syncState.blocker)
        #expect(found.code == .unreadableRecord && found.code.rawValue == "unreadable-record")
        #expect(found.message.contains("404"))
        #expect(other.container.syncState.stores.first?.recordBlockers == [found])
        // The deferred record is reported, and everything else has arrived.
        #expect(other.container.syncState.stores.first?.lastImportDate == cloud.clock.now)
      }
      #expect(!other.container.syncState.isUpToDate)
      #expect(try await other.names() == ["Bob", "Cyd"])
      // The device that has the values saves them again.
      try await one.change("Ada", ["photo": Self.photo(2)])
      _ = try await blocker(one)
      #expect(try await blocker(one) == nil)
      #expect(try await blocker(other) == nil)
      #expect(try await other.names() == ["Ada", "Bob", "Cyd"])
      #expect(try await one.text() == other.text())
      #expect(other.container.syncState.isUpToDate)
      #expect(other.container.syncState.stores.first?.recordBlockers.isEmpty == true)
      try one.close()
      try other.close()
    }
  }

  @Test func `Local values stay, and local changes wait until the conflict is known`() async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.add("Person", ["name": "Ada", "photo": Self.photo(1), "age": 1])
      try await one.add("Person", ["name": "Bob", "age": 1])
      for device in [one, other, one] { try await device.sync() }
      try await one.change("Ada", ["photo": Self.photo(2) + Data([1]), "email": "ada@example.com"])
      try await one.sync()
      try cloud.loseFiles()
      for name in ["Ada", "Bob"] { try await other.change(name, ["age": 2]) }
      // A local change of the object waits, so the caller gets an error.
      let thrown = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await other.sync()
      }
      #expect(thrown?.code == .unreadableRecord)
      let ofOne = await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
        try await other.container.sync(try await other.person("Ada"))
      }
      #expect(ofOne?.code == .unreadableRecord)
      try await other.container.sync(try await other.person("Bob"))
      #expect(try await other.value("Ada", "age") == "2")
      #expect(try await other.value("Ada", "photo") == "\(Self.photo(1))")
      guard
        case .pending(let reason?) = try other.container.syncState(
          of: try await other.person("Ada"))
      else {
        Issue.record("Ada's change is pending.")
        return
      }
      #expect(reason.code == .unreadableRecord)
      // A full listing does not count the object as deleted.
      #expect(await other.engine.run(.reset(.tokens)).failure == nil)
      #expect(try await blocker(other)?.code == .unreadableRecord)
      #expect(try await other.names() == ["Ada", "Bob"])
      _ = try await blocker(one)
      #expect(try await one.value("Ada", "age") == "1")
      #expect(try await one.value("Bob", "age") == "2")
      try await one.change("Ada", ["photo": Self.photo(3)])
      for device in [one, other, one] { _ = try await blocker(device) }
      for device in [one, other] {
        try await device.sync()
        #expect(try await device.value("Ada", "age") == "2")
        #expect(try await device.value("Ada", "email") == "ada@example.com")
        #expect(try await device.value("Ada", "photo") == "\(Self.photo(3))")
      }
      try one.close()
      try other.close()
    }
  }

  /// Damages the sealed values of a field in an answer.
  private static func damaged(_ answer: TransportResponse, _ field: String) -> TransportResponse {
    guard let document = try? JSONSerialization.jsonObject(with: Data(answer.body)) else {
      return answer
    }
    var altered = answer
    guard let body = try? JSONSerialization.data(withJSONObject: damaged(document, field)) else {
      return answer
    }
    altered.body = Array(body)
    return altered
  }

  private static func damaged(_ part: Any, _ field: String) -> Any {
    if let list = part as? [Any] { return list.map { damaged($0, field) } }
    guard var entries = part as? [String: Any] else { return part }
    for (key, value) in entries {
      guard key == field, var cell = value as? [String: Any], let text = cell["value"] as? String,
        var bytes = Data(base64Encoded: text), !bytes.isEmpty
      else {
        entries[key] = damaged(value, field)
        continue
      }
      bytes[bytes.count - 1] ^= 1
      cell["value"] = bytes.base64EncodedString()
      entries[key] = cell
    }
    return entries
  }

  @Test
  func `A damaged encrypted value waits alone and is requested again at the next start`()
    async throws
  {
    func model() -> NSManagedObjectModel {
      let model = AddressBook.model()
      model.entitiesByName["Person"]?.attributesByName["email"]?.allowsCloudEncryption = true
      return model
    }
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, model: model())
      try await one.add("Person", ["name": "Ada", "email": "ada@example.com"])
      try await one.add("Person", ["name": "Bob"])
      try await one.sync()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      transport.alter { Self.damaged($0, "CD_email") }
      let code = try #require(try await one.engine.mirror.container.encryption.recoveryCode())
      let broken = try await Device(signedIn, in: folder, model: model(), through: transport)
      try await broken.engine.mirror.container.encryption.recover(with: code)
      try await broken.add("Person", ["name": "Cyd"])
      let found = try await blocker(broken)
      #expect(found?.code == .unreadableRecord && found?.message.contains("damaged") == true)
      #expect(try await broken.names() == ["Bob", "Cyd"])
      try broken.close()
      // The record has not changed, so the feed does not have it.
      transport.alter(nil)
      let again = try await Device(
        signedIn, in: folder, model: model(), file: broken.file, through: transport)
      try await again.engine.mirror.container.encryption.recover(with: code)
      #expect(await again.engine.run(.setUp).failure == nil)
      let outcome = await again.engine.importOnce()
      #expect(outcome.failure == nil && outcome.blockers.isEmpty)
      #expect(try await again.value("Ada", "email") == "ada@example.com")
      try await again.sync()
      try await one.sync()
      #expect(try await one.text() == again.text())
      try one.close()
      try again.close()
    }
  }
}
