import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjects
import TestSupport
import Testing

/// A device that gets no notifications although the server answers all its requests.
@Suite("Silent connections", .endsAtAll)
struct SilenceTests {
  /// Moves the clock, second by second, until a condition holds.
  ///
  /// After each second the device has time to work, however busy the machine is.
  private func pass(_ cloud: TestCloud, until isReached: () async throws -> Bool) async throws {
    while try await !isReached() {
      try Task.checkCancellation()
      try await cloud.advance(by: .seconds(1))
      await passTime(milliseconds: 5)
    }
  }

  @Test func `Silence is reported, polling replaces pushes, and it ends when the device listens`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let signedIn = try await cloud.signIn("ada")
      let transport = WatchedTransport(signedIn.transport)
      transport.holdBack("/push/")
      let deaf = try await Device(signedIn, in: folder, isAutomatic: true, through: transport)
      for await state in deaf.container.syncStates where state.isUpToDate { break }
      #expect(deaf.container.syncState.stores.first?.isListening == false)
      try await pass(cloud) { deaf.container.syncState.blocker != nil }
      let state = deaf.container.syncState
      #expect(state.blocker?.code == .notListening && !state.isUpToDate)
      #expect(state.blocker?.code.rawValue == "not-listening")
      let other = try await Device(cloud.signIn("ada"), in: folder)
      try await other.add("Person", ["name": "Ada"])
      try await other.sync()
      try await pass(cloud) { try await deaf.names() == ["Ada"] }
      transport.holdBack(nil)
      try await pass(cloud) { deaf.container.syncState.isUpToDate }
      #expect(deaf.container.syncState.stores.first?.isListening == true)
      try await other.change("Ada", ["age": 36])
      try await other.sync()
      try await pass(cloud) { try await deaf.value("Ada", "age") == "36" }
      try deaf.close()
      try other.close()
    }
  }
}
