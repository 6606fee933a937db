import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import ManagedObjects
import TestSupport
import Testing

/// A participant whose changes are held back until the owner delivers the keys of the share.
///
/// The participant's device syncs only because of saves and pushes. The clock stands still, so no
/// wait ends.
@Suite("Arriving keys", .endsAtAll)
struct ArrivingKeysTests {
  /// Ada, who has no keys, shares Paris with Bob, who adds Eve with an address.
  private func withHeldChange(
    _ deliver: (SharingDevice, SharingDevice) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let ada = try await SharingDevice(
        try await cloud.signIn("ada"), in: folder, model: EncryptedAttributeTests.model())
      let bob = try await SharingDevice(
        try await cloud.signIn("bob"), in: folder, model: EncryptedAttributeTests.model(),
        isAutomatic: true)
      try await ada.addTown("Paris", people: ["Ada"])
      try await ada.sync()
      let (_, share, _) = try await ada.share(["Paris"])
      try await ada.sync()
      try await ada.invite(bob, to: share)
      try await yields(while: try await bob.people() != ["Ada of Paris"])
      try await bob.save { context in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Eve", forKey: "name")
        person.setValue("e@x.org", forKey: "email")
        person.setValue(try context.object("Paris", "Town"), forKey: "town")
        context.assign(person, toShared: true)
      }
      try await yields(while: !bob.awaitsKeys)
      #expect(bob.container.syncState.pendingChangeCount == 1)
      try await deliver(ada, bob)
      try await yields(while: !bob.container.syncState.isUpToDate)
      try await ada.sync()
      #expect(try await ada.email("Eve") == "e@x.org")
      #expect(cloud.serverErrors.isEmpty)
      try bob.close()
      try ada.close()
      await cloud.end()
    }
  }

  @Test func `Held-back changes are sent as soon as the owner sends the first encrypted value`()
    async throws
  {
    try await withHeldChange { ada, bob in
      try await ada.save {
        try $0.object("Ada", "Person").setValue("a@x.org", forKey: "email")
      }
      try await ada.sync()
      try await yields(while: try await bob.email("Ada") != "a@x.org")
    }
  }
}

extension SharingDevice {
  /// Whether keys are missing, and a push can report them.
  fileprivate var awaitsKeys: Bool {
    container.syncState.stores.contains {
      $0.databaseScope == .shared && $0.blocker?.code == .keysMissing && $0.isListening
    }
  }
}
