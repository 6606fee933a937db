import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import CloudTransport
import Foundation
import ManagedObjects
import MirrorModel
import Synchronization
import TestSupport
import Testing

/// The server has applied a request whose answer is lost, and other devices change the records
/// afterwards.
@Suite("Lost answers", .endsAtAll)
struct LostAnswerTests {
  /// Runs a test with two devices of one user.
  ///
  /// The first device inserted Ada, and does not know that the record has arrived.
  private func withLostInsertion(_ body: @Sendable (Device, Device) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.sync()
      try await one.add("Person", ["name": "Ada", "email": "first", "age": 1])
      await loseAnswer(one)
      try await other.sync()
      #expect(try await other.names() == ["Ada"], "The record has arrived.")
      try await body(one, other)
      #expect(cloud.serverErrors.isEmpty)
      try one.close()
      try other.close()
    }
  }

  /// Sends pending entries.
  ///
  /// The server applies them, and the answer is lost.
  private func loseAnswer(_ device: Device) async {
    device.network.inject(.lostResponse)
    device.network.inject(.noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork)
    let outcome = await device.engine.exportOnce()
    #expect(outcome.failure?.kind == .offline)
    device.network.heal()
  }

  private func agree(_ devices: Device...) async throws {
    for _ in 0..<2 { for device in devices { try await device.sync() } }
    let texts = [try await devices[0].text(), try await devices[1].text()]
    #expect(texts[0] == texts[1])
    for device in devices { #expect(device.container.syncState.isUpToDate) }
  }

  @Test(arguments: [true, false])
  func `Later changes of both devices survive a lost answer`(
    isSentFirst: Bool
  ) async throws {
    try await withLostInsertion { one, other in
      try await other.change("Ada", ["email": "newer"])
      try await other.sync()
      try await one.change("Ada", ["age": 2])
      // The result is the same whether the change is imported first or found as a conflict.
      if isSentFirst { #expect(await one.engine.exportOnce().failure == nil) }
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "newer")
      #expect(try await one.value("Ada", "age") == "2")
      #expect(
        try one.container.conflicts().map(\.property) == ["age"],
        "The address was not overwritten.")
    }
  }

  @Test(arguments: [true, false])
  func `An object deleted remotely after a lost answer does not come back`(isSentFirst: Bool)
    async throws
  {
    try await withLostInsertion { one, other in
      try await other.delete("Ada")
      try await other.sync()
      if isSentFirst { #expect(await one.engine.exportOnce().failure == nil) }
      try await agree(one, other)
      #expect(try await one.names().isEmpty)
      #expect(try await other.names().isEmpty)
    }
  }

  @Test func `An object that changed after a lost answer is sent again, and nothing is lost`()
    async throws
  {
    try await withLostInsertion { one, other in
      try await one.change("Ada", ["email": "second"])
      await loseAnswer(one)
      try await one.change("Ada", ["age": 3])
      try await agree(one, other)
      #expect(try await other.value("Ada", "email") == "second")
      #expect(try await other.value("Ada", "age") == "3")
      #expect(try await other.names() == ["Ada"])
    }
  }

  /// The server rejected the first request, so the record proves that the second one arrived.
  @Test func `A value that arrived after a rejected one does not overwrite a newer one`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud(chance: TestRandomness()) { $0.privateDatabaseBytes = 40_000 }
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.sync()
      let long = String(repeating: "x", count: 50_000)
      try await one.add("Person", ["name": "Ada", "email": long, "age": 1])
      #expect(await one.engine.exportOnce().failure?.kind == .quotaExceeded)
      try await one.change("Ada", ["email": "ours"])
      await loseAnswer(one)
      try await other.sync()
      #expect(try await other.value("Ada", "email") == "ours")
      try await other.change("Ada", ["email": "newer"])
      try await other.sync()
      try await one.change("Ada", ["age": 2])
      try await agree(one, other)
      #expect(try await other.value("Ada", "email") == "newer")
      #expect(try await other.value("Ada", "age") == "2")
      let conflict = try #require(try one.container.conflicts().first)
      #expect(!conflict.keptLocal && conflict.overwrittenValue as? String == "ours")
      try one.close()
      try other.close()
    }
  }

  @Test func `An object deleted between reading the feed and resending does not come back`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let one = try await Device(signedIn, in: folder, through: transport)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.sync()
      try await one.add("Person", ["name": "Ada", "email": "first", "age": 1])
      await holdBack(one, transport)
      // The device has checked the server and found nothing. When it sends again, the first request
      // arrives, and another device deletes the record.
      let sends = Mutex(0)
      transport.watch { request in
        guard request.address.contains("records/modify"), sends.counted() == 1 else { return }
        await #expect(throws: Never.self) {
          try await transport.deliver()
          try await other.sync()
          try await other.delete("Ada")
          try await other.sync()
        }
      }
      #expect(await one.engine.exportOnce().failure == nil)
      transport.watch(nil)
      try await agree(one, other)
      #expect(sends.withLock(\.self) >= 1)
      #expect(try await one.names().isEmpty)
      try one.close()
      try other.close()
    }
  }

  /// Sends pending entries in a request that is delayed.
  private func holdBack(_ device: Device, _ transport: WatchedTransport) async {
    transport.holdBack("records/modify")
    #expect(await device.engine.exportOnce().failure?.kind == .offline)
    transport.holdBack(nil)
  }

  // MARK: Updates

  /// Runs a test with two devices of one user that both have Ada.
  ///
  /// The first one's transport reports its requests.
  private func withAda(_ body: @Sendable (Device, Device, WatchedTransport) async throws -> Void)
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let one = try await Device(signedIn, in: folder, through: transport)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await one.add("Person", ["name": "Ada", "email": "first", "age": 1])
      try await agree(one, other)
      try await body(one, other, transport)
      #expect(cloud.serverErrors.isEmpty)
      try one.close()
      try other.close()
    }
  }

  @Test func `A change that has arrived does not overwrite a newer one`() async throws {
    try await withAda { one, other, _ in
      try await one.change("Ada", ["email": "ours"])
      await loseAnswer(one)
      try await other.sync()
      #expect(try await other.value("Ada", "email") == "ours")
      try await other.change("Ada", ["email": "newer"])
      try await other.sync()
      #expect(await one.engine.exportOnce().failure == nil)
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "newer")
      let conflict = try #require(try one.container.conflicts().first)
      #expect(!conflict.keptLocal && conflict.overwrittenValue as? String == "ours")
    }
  }

  @Test(arguments: [502, 503, 504], [true, false])
  func `A change that ended in a gateway's error does not overwrite a newer one`(
    status: Int, isPage: Bool
  ) async throws {
    try await withAda { one, other, transport in
      try await one.change("Ada", ["email": "ours"])
      transport.answerAsGateway("records/modify", status, isPage: isPage)
      #expect(await one.engine.exportOnce().failure != nil)
      try await other.sync()
      #expect(try await other.value("Ada", "email") == "ours")
      try await other.change("Ada", ["email": "newer"])
      try await other.sync()
      #expect(await one.engine.exportOnce().failure == nil)
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "newer")
    }
  }

  @Test func `A value that another device changed back after a lost answer stays`()
    async throws
  {
    try await withAda { one, other, _ in
      try await one.change("Ada", ["email": "ours", "age": 2])
      await loseAnswer(one)
      try await other.sync()
      try await other.change("Ada", ["email": "first"])
      try await other.sync()
      #expect(await one.engine.exportOnce().failure == nil)
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "first")
      #expect(try await other.value("Ada", "age") == "2")
    }
  }

  @Test func `A change that has not arrived is sent, whatever else changed meanwhile`() async throws
  {
    try await withAda { one, other, _ in
      try await one.change("Ada", ["email": "ours"])
      one.network.inject(.lostRequest)
      one.network.inject(.noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork, .noNetwork)
      #expect(await one.engine.exportOnce().failure?.kind == .offline)
      one.network.heal()
      try await other.change("Ada", ["age": 2])
      try await other.sync()
      #expect(await one.engine.exportOnce().failure == nil)
      try await agree(one, other)
      #expect(try await other.value("Ada", "email") == "ours")
      #expect(try await one.value("Ada", "age") == "2")
      for device in [one, other] {
        #expect(try device.container.conflicts().isEmpty, "No value was overwritten.")
      }
    }
  }

  @Test func `A request that may have arrived is not resent before the server is checked`()
    async throws
  {
    try await withAda { one, other, transport in
      try await one.add("Person", ["name": "Bob"])
      let sends = Mutex(0)
      transport.watch { request in
        if request.address.contains("records/modify") { _ = sends.counted() }
      }
      one.network.inject(.lostResponse)
      #expect(await one.engine.exportOnce().failure?.kind == .offline)
      // The check finds that another device has fetched the record and deleted it.
      try await other.sync()
      try await other.delete("Bob")
      try await other.sync()
      try await agree(one, other)
      transport.watch(nil)
      #expect(sends.withLock(\.self) == 1)
      #expect(try await one.names() == ["Ada"])
    }
  }

  @Test func `When two devices refill a zone, each keeps the other's changes`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder)
      let other = try await Device(cloud.signIn("ada"), in: folder)
      for name in ["Ada", "Bob", "Cecil"] {
        try await one.add("Person", ["name": name, "email": "first", "age": 1])
      }
      try await agree(one, other)
      try await cloud.signIn("ada").container.privateCloudDatabase.deleteRecordZone(
        withID: CKRecordZone.ID(zoneName: MirrorNames.zone))
      for device in [one, other] {
        await #expect(throws: NSPersistentCloudKitContainer.SyncBlocker.self) {
          try await device.sync()
        }
        let store = try #require(device.container.persistentStoreCoordinator.persistentStores.first)
        device.container.resolveDeletion(of: store, by: .uploadAgain)
      }
      try await other.sync()
      try await other.change("Ada", ["email": "newer"])
      try await other.sync()
      try await one.change("Ada", ["age": 2])
      try await one.change("Bob", ["email": "ours"])
      try await one.delete("Cecil")
      try await agree(one, other)
      #expect(try await one.value("Ada", "email") == "newer")
      #expect(try await other.value("Ada", "age") == "2")
      #expect(try await other.value("Bob", "email") == "ours")
      #expect(try await other.names() == ["Ada", "Bob"])
      try one.close()
      try other.close()
    }
  }
}
