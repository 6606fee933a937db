import CloudKit
import CoreData
import Foundation

/// Sharing with the cloud that the stores are mirrored to.
@MainActor public final class CloudSharing: SharingProvider, SharingActions {
  private let stack: PhotoStack
  private let cloud: CKContainer
  private var container: NSPersistentCloudKitContainer { stack.container }

  /// Creates a provider for a stack whose stores are mirrored to a cloud.
  public init(stack: PhotoStack, cloud: CKContainer) {
    (self.stack, self.cloud) = (stack, cloud)
  }

  // MARK: Questions

  /// Whether an object is in a share.
  public func isShared(object: NSManagedObject) -> Bool { isShared(objectID: object.objectID) }

  /// Whether the object with an ID is in a share, without a request.
  public func isShared(objectID: NSManagedObjectID) -> Bool {
    if objectID.isTemporaryID { return false }
    if objectID.persistentStore === stack.sharedStore { return true }
    return (try? container.fetchShares(matching: [objectID]))?.isEmpty == false
  }

  /// Returns the participants of the share of an object.
  public func participants(for object: NSManagedObject) -> [any RenderableShareParticipant] {
    let shares = try? container.fetchShares(matching: [object.objectID])
    return shares?[object.objectID]?.participants ?? []
  }

  /// Returns the shares of objects.
  public func shares(matching objectIDs: [NSManagedObjectID]) throws
    -> [NSManagedObjectID: any RenderableShare]
  {
    try container.fetchShares(matching: objectIDs)
  }

  /// Whether the user may change an object.
  public func canEdit(object: NSManagedObject) -> Bool {
    container.canUpdateRecord(forManagedObjectWith: object.objectID)
  }

  /// Whether the user may delete an object.
  public func canDelete(object: NSManagedObject) -> Bool {
    container.canDeleteRecord(forManagedObjectWith: object.objectID)
  }

  // MARK: Actions

  /// Returns all shares, those of this user first.
  public func shares() throws -> [any RenderableShare] {
    try container.fetchShares(in: stack.privateStore)
      + container.fetchShares(in: stack.sharedStore)
  }

  /// Shares an object and all that it is related to.
  @discardableResult
  public func share(_ object: NSManagedObject, to share: (any RenderableShare)?, title: String)
    async throws -> any RenderableShare
  {
    let existing = try share.map(current)
    let (_, made, _) = try await container.share(
      managedObjectsWith: [object.objectID], to: existing)
    guard existing == nil else { return made }
    made[CKShare.SystemFieldKey.title] = title
    return try await container.persistUpdatedShare(made, in: stack.privateStore)
  }

  /// Invites a person to a share of this user.
  public func invite(
    _ emailAddress: String, _ permission: CKShare.ParticipantPermission,
    to share: any RenderableShare
  ) async throws {
    _ = try own(share)
    let info = CKUserIdentity.LookupInfo(emailAddress: emailAddress)
    let found = try await container.fetchParticipants(matching: [info], into: stack.privateStore)
    guard let participant = found.first else { throw SharingFailure.noAddress(emailAddress) }
    participant.permission = permission
    try await change(share) { $0.addParticipant(participant) }
  }

  /// Removes a participant from a share of this user.
  public func remove(
    _ participant: any RenderableShareParticipant, from share: any RenderableShare
  ) async throws {
    try await change(share) { share in
      let found = share.participants.first { $0.participantID == participant.participantID }
      if let found { share.removeParticipant(found) }
    }
  }

  /// Changes a share of this user, and saves it.
  ///
  /// If another device or person changed the share meanwhile, the change is repeated on the newest
  /// version.
  private func change(_ share: any RenderableShare, _ change: (CKShare) -> Void) async throws {
    do {
      let newest = try own(share)
      change(newest)
      try await container.persistUpdatedShare(newest, in: stack.privateStore)
    } catch let error as CKError where error.code == .serverRecordChanged {
      try await stack.sync()
      let newest = try own(share)
      change(newest)
      try await container.persistUpdatedShare(newest, in: stack.privateStore)
    }
  }

  /// Ends a share of this user, or leaves the share of another user.
  public func end(_ share: any RenderableShare) async throws {
    let share = try current(share)
    guard share.isOwn else {
      try await container.purgeObjectsAndRecordsInZone(
        with: share.recordID.zoneID, in: stack.sharedStore)
      stack.context.refreshAllObjects()
      return
    }
    // When the share is deleted, its objects move back to the zone of the unshared objects.
    try await cloud.privateCloudDatabase.deleteRecord(withID: share.recordID)
    try await stack.sync()
  }

  /// Accepts an invitation by its link.
  public func accept(_ link: URL) async throws {
    let metadata = try await cloud.shareMetadata(for: link)
    try await container.acceptShareInvitations(from: [metadata], into: stack.sharedStore)
    stack.context.refreshAllObjects()
  }

  /// Returns the newest version of a share, or throws if the share has ended.
  private func current(_ share: any RenderableShare) throws -> CKShare {
    let shares =
      try container.fetchShares(in: stack.privateStore)
      + container.fetchShares(in: stack.sharedStore)
    guard let found = shares.first(where: { $0.identifier == share.identifier }) else {
      throw SharingFailure.ended
    }
    return found
  }

  private func own(_ share: any RenderableShare) throws -> CKShare {
    let share = try current(share)
    guard share.isOwn else { throw SharingFailure.notOwner }
    return share
  }
}
