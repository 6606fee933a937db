import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import MirrorModel
import TestSupport
import Testing

/// Another device that changes objects continuously.
@Suite("A busy peer", .endsAtAll)
struct BusyPeerTests {
  @Test func `A full sync ends, however often other devices report changes`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(signedIn, in: folder, through: transport)
      try await device.sync()
      try await device.add("Person", ["name": "Ada"])
      let asked = Requests()
      transport.watch { [weak device] request in
        // During each request the peer reports another change. It stops only after a hundred.
        if request.address.contains("changes"), asked.next() < 100 { device?.engine.note(.push) }
      }
      try await device.sync()
      transport.watch(nil)
      #expect(asked.next() < 20)
      guard case .durable = try device.container.syncState(of: try await device.person("Ada"))
      else {
        Issue.record("The pending changes were not sent.")
        return
      }
      // Changes reported meanwhile are imported automatically.
      while await device.engine.runNextStep() != nil {}
      #expect(device.container.syncState.isUpToDate)
      try device.close()
    }
  }
}
