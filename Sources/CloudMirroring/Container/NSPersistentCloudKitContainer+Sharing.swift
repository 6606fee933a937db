public import CloudKitClient
public import ManagedObjects
public import ObjectRows

/// Sharing of mirrored objects, which is not supported yet.
extension NSPersistentCloudKitContainer {
  /// Shares objects with others.
  @available(
    *, unavailable, message: "Sharing of mirrored objects comes later. Share records with CKShare."
  )
  public func share(
    _ managedObjects: [NSManagedObject], to share: CKShare?,
    completion: @escaping (Set<NSManagedObjectID>?, CKShare?, CKContainer?, (any Error)?) -> Void
  ) {}

  /// The shares of a store.
  @available(
    *, unavailable,
    message: "Sharing of mirrored objects comes later. Fetch shares with CKDatabase."
  )
  public func fetchShares(in persistentStore: NSPersistentStore?) throws -> [CKShare] { [] }

  /// The shares that objects belong to.
  @available(
    *, unavailable,
    message: "Sharing of mirrored objects comes later. Fetch shares with CKDatabase."
  )
  public func fetchShares(matching objectIDs: [NSManagedObjectID]) throws -> [NSManagedObjectID:
    CKShare]
  { [:] }

  /// Takes part in shares.
  @available(
    *, unavailable,
    message: "Sharing of mirrored objects comes later. Accept shares with CKContainer."
  )
  public func acceptShareInvitations(
    from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore,
    completion: (([CKShare.Metadata]?, (any Error)?) -> Void)? = nil
  ) {}

  /// Keeps a share that was changed elsewhere.
  @available(
    *, unavailable, message: "Sharing of mirrored objects comes later. Save shares with CKDatabase."
  )
  public func persistUpdatedShare(
    _ share: CKShare, in persistentStore: NSPersistentStore,
    completion: ((CKShare?, (any Error)?) -> Void)? = nil
  ) {}

  /// Deletes a zone with the objects in it.
  @available(*, unavailable, message: "Zones of shares come later. Delete a zone with CKDatabase.")
  public func purgeObjectsAndRecordsInZone(
    with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?,
    completion: ((CKRecordZone.ID?, (any Error)?) -> Void)? = nil
  ) {}

  /// Finds people to share with.
  @available(
    *, unavailable,
    message: "Sharing of mirrored objects comes later. Find people with CKContainer."
  )
  public func fetchParticipants(
    matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore,
    completion: @escaping ([CKShare.Participant]?, (any Error)?) -> Void
  ) {}
}
