import CloudKitClient
import CloudKitTesting
import CloudMirroring
import Foundation
import ManagedObjectModel
import TestSupport

/// Two users, one of whom shares a town and its people with the other.
struct SharedPair {
  let cloud: TestCloud
  let ada: SharingDevice
  let bob: SharingDevice
  let share: CKShare
  let folder: URL

  /// The name of the zone of the share.
  var zone: String { share.recordID.zoneID.zoneName }

  /// Another device of a user.
  func device(_ name: String) async throws -> SharingDevice {
    let device = try await SharingDevice(try await cloud.signIn(name), in: folder)
    try await device.sync()
    return device
  }

  /// Syncs both users until each has received the other's changes.
  func syncBoth() async throws {
    for _ in 0..<2 {
      try await ada.sync()
      try await bob.sync()
    }
  }
}

/// Runs a test with two users: Ada shares Paris, where Ada lives, with Bob; Rome, where Carl lives,
/// is not shared.
func withSharedPair(
  _ permission: CKShare.ParticipantPermission = .readWrite,
  model: NSManagedObjectModel = AddressBook.model(),
  _ body: (SharedPair) async throws -> Void
) async throws {
  try await withTemporaryDirectory { folder in
    let cloud = try await TestCloud()
    let ada = try await SharingDevice(try await cloud.signIn("ada"), in: folder, model: model)
    let bob = try await SharingDevice(try await cloud.signIn("bob"), in: folder, model: model)
    try await ada.addTown("Paris", people: ["Ada"])
    try await ada.addTown("Rome", people: ["Carl"])
    try await ada.sync()
    try await bob.sync()
    let (_, share, _) = try await ada.share(["Paris"])
    try await ada.sync()
    try await ada.invite(bob, to: share, permission: permission)
    try await body(SharedPair(cloud: cloud, ada: ada, bob: bob, share: share, folder: folder))
    await cloud.end()
  }
}
