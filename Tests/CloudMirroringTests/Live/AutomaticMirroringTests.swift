import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjects
import TestSupport
import Testing

/// Devices that nobody drives: saves and pushes do.
@Suite("Mirroring by itself", .endsAtAll)
struct AutomaticMirroringTests {
  /// Waits for a state, which is told whenever it changes.
  private func wait(
    _ device: Device, until isReached: (NSPersistentCloudKitContainer.SyncState) async throws -> Bool
  ) async throws {
    for await state in device.container.syncStates where try await isReached(state) { return }
  }

  @Test func `What one device saves appears on the other by itself`() async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let one = try await Device(cloud.signIn("ada"), in: folder, isAutomatic: true)
      let other = try await Device(cloud.signIn("ada"), in: folder, isAutomatic: true)
      try await wait(one) { $0.isUpToDate }
      try await wait(other) { $0.isUpToDate }
      try await one.add("Person", ["name": "Ada"])
      try await wait(other) { _ in try await other.names() == ["Ada"] }
      try await other.change("Ada", ["email": "ada@example.com"])
      try await wait(one) { _ in try await one.value("Ada", "email") == "ada@example.com" }
      try await other.delete("Ada")
      try await wait(one) { _ in try await one.names().isEmpty }
      let (ours, theirs) = (try await one.text(), try await other.text())
      #expect(ours.isEmpty && theirs.isEmpty)
      try one.close()
      try other.close()
    }
  }
}
