import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudTransport
import Foundation
import ManagedObjects
import MirrorModel
import Synchronization
import TestSupport
import Testing

/// Requested work without progress, with a real server.
@Suite("A container that stalls", .endsAtAll)
struct StalledContainerTests {
  private static let stall = MirrorLimits.stallSeconds

  /// Only the clock triggers notifications: a public database sends none.
  @Test func `Observers of the state are notified of an import that hangs`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      let device = try await Device(
        signedIn, in: folder, isAutomatic: true, scope: .public, through: transport)
      for await state in device.container.syncStates where state.isUpToDate { break }
      let (gate, opening) = AsyncStream<Never>.makeStream()
      let isHanging = Mutex(false)
      transport.watch { _ in
        isHanging.withLock { $0 = true }
        for await _ in gate {}
      }
      // The clock stands still until the import hangs; otherwise a slow machine's delays count.
      let syncing = Task { [container = device.container] in try await container.sync() }
      try await yields(while: !isHanging.withLock(\.self))
      var states = device.container.syncStates.makeAsyncIterator()
      #expect(await states.next()?.stores.first?.isStalled == false)
      try await cloud.advance(by: .seconds(Self.stall + 1))
      while await states.next()?.stores.first?.isStalled == false {}
      #expect(device.container.syncState.stores.first?.isStalled == true)
      transport.watch(nil)
      opening.finish()
      for await state in device.container.syncStates where state.stores.first?.isStalled == false {
        break
      }
      try await syncing.value
      try device.close()
    }
  }
}
