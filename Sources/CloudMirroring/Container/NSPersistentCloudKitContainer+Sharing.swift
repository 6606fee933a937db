public import CloudKitClient
public import ManagedObjects
public import ObjectRows

/// Sharing of mirrored objects.
///
/// A store of the private database has the user's own objects, including those that the user
/// shares. A store of the shared database has the objects that others share with the user:
///
/// ```swift
/// let shared = NSPersistentStoreDescription(url: sharedFile)
/// let options = NSPersistentCloudKitContainerOptions(
///   containerIdentifier: "iCloud.com.example.notes")
/// options.databaseScope = .shared
/// shared.cloudKitContainerOptions = options
/// container.persistentStoreDescriptions.append(shared)
/// ```
extension NSPersistentCloudKitContainer {
  /// Shares objects, some of which may be in the share already.
  ///
  /// Parhelion's addition. Apple's method refuses objects that are in the given share.
  @discardableResult
  public func share(_ managedObjects: [NSManagedObject], to share: CKShare, allowingMembers: Bool)
    async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer)
  {
    try await mirroring.share(
      SharedObjects(managedObjects), in: share, allowsMembers: allowingMembers)
  }

  /// Shares objects and their related objects within a scope.
  ///
  /// Parhelion's addition. If a relationship leads from an object of the share to one beyond the
  /// scope, nothing is shared, and the error names both. See ``SharingScope``.
  @discardableResult
  public func share(
    _ managedObjects: [NSManagedObject], to share: CKShare?, within scope: SharingScope
  ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
    try await mirroring.share(SharedObjects(managedObjects), in: share, within: scope)
  }

  /// Shares the objects with the given IDs, and their related objects within a scope.
  ///
  /// Parhelion's addition, because object IDs can be passed between tasks, but objects cannot.
  /// Unsaved objects and changes are not shared.
  @discardableResult
  public func share(
    managedObjectsWith objectIDs: [NSManagedObjectID], to share: CKShare?,
    within scope: SharingScope = .everything
  ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
    try await mirroring.share(SharedObjects(objectIDs), in: share, within: scope)
  }

  // MARK: Preview

  /// An object that a call to share would include, or that would make the call fail.
  ///
  /// Parhelion's addition.
  public struct SharePreviewItem: Hashable, Sendable {
    /// The object.
    public let objectID: NSManagedObjectID
    /// The object from which this one is reached; nil for a given object.
    public let reachedFrom: NSManagedObjectID?
    /// The relationship that leads to this object; nil for a given object.
    public let relationship: String?
    /// The zone of the share that the object is in already, which prevents sharing; nil if it is in
    /// none.
    public let sharedIn: CKRecordZone.ID?
    /// Whether the scope excludes the object.
    ///
    /// Its relationship to an object in the scope prevents sharing. The search for related objects
    /// does not continue beyond it.
    public let isBeyondScope: Bool
  }

  /// Lists the objects that `share(_:to:within:)` would share, each with a path to it.
  ///
  /// Parhelion's addition. Nothing is changed, and no request is made.
  public func sharePreview(
    of managedObjects: [NSManagedObject], within scope: SharingScope = .everything
  ) throws -> [SharePreviewItem] {
    try mirroring.preview(SharedObjects(managedObjects), within: scope)
  }
}
