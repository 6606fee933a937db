import CloudKitClient
import CloudMirroring
import Foundation
import ManagedObjects
import ObjectRows

/// The acts of a device's user with shares.
extension SimulatedDevice {
  private var stores: [NSPersistentStore] {
    get throws { try running().container.persistentStoreCoordinator.persistentStores }
  }

  /// The shares of the user's own objects, or those that others share.
  func shares(areOwn: Bool) throws -> [CKShare] {
    try running().container.fetchShares(in: stores[areOwn ? 0 : 1])
  }

  /// The zones of objects, by key.
  func zones(of contents: DeviceContents, areOwn: Bool) throws -> [String: String] {
    let container = try running().container
    let keys = contents.identifiers.filter { contents.othersKeys.contains($0.key) != areOwn }
    let records = container.recordIDs(for: Array(keys.values))
    return keys.compactMapValues { records[$0]?.zoneID.zoneName }
  }

  /// Shares an object, with a new share unless one is given.
  func share(_ objectID: NSManagedObjectID, to share: CKShare?) async throws -> CKShare {
    try await running().container.share(managedObjectsWith: [objectID], to: share).1
  }

  /// Finds a user as a participant.
  func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant? {
    try await running().container.fetchParticipants(matching: [info], into: stores[0]).first
  }

  /// Saves a changed share.
  func persist(_ share: CKShare) async throws {
    try await running().container.persistUpdatedShare(share, in: stores[0])
  }

  /// Joins the share of a link.
  func accept(_ url: URL) async throws {
    let metadata = try await engine().mirror.container.shareMetadata(for: url)
    try await running().container.acceptShareInvitations(from: [metadata], into: stores[1])
  }

  /// Asks the owner of a share for access.
  func requestAccess(to url: URL) async throws {
    _ = try await engine().mirror.container.requestShareAccess(for: [url])[url]?.get()
  }

  /// Stops sharing, and keeps the objects.
  func stop(_ share: CKShare) async throws {
    try await engine().mirror.container.privateCloudDatabase.deleteRecord(withID: share.recordID)
  }

  /// Deletes the zone of an own share with its objects, or leaves a share of another user.
  func purge(_ share: CKShare, isOwn: Bool) async throws {
    try await running().container.purgeObjectsAndRecordsInZone(
      with: share.recordID.zoneID, in: stores[isOwn ? 0 : 1])
  }

  /// Whether the user may change an object, according to the device.
  func mayChange(_ objectID: NSManagedObjectID) throws -> Bool {
    try running().container.canUpdateRecord(forManagedObjectWith: objectID)
  }
}
