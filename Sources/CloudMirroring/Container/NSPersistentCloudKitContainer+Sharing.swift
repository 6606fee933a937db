public import CloudKitClient
public import ManagedObjects
public import ObjectRows

/// Sharing of mirrored objects.
///
/// A store of the private database has the user's own objects, those included that the user shares.
/// A store of the shared database has the objects that others share with the user:
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
  /// Shares objects of which some may be in the share already.
  ///
  /// Parhelion's addition. Apple's method refuses objects that are in the given share.
  @discardableResult
  public func share(_ managedObjects: [NSManagedObject], to share: CKShare, allowingMembers: Bool)
    async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer)
  {
    try await keeper.share(SharedObjects(managedObjects), in: share, allowsMembers: allowingMembers)
  }

  /// Shares objects, and what they are related to within a scope.
  ///
  /// Parhelion's addition. If a relationship leads from an object of the share to one beyond the
  /// scope, nothing is shared, and the error has both. See ``SharingScope``.
  @discardableResult
  public func share(
    _ managedObjects: [NSManagedObject], to share: CKShare?, within scope: SharingScope
  ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
    try await keeper.share(SharedObjects(managedObjects), in: share, within: scope)
  }

  /// Shares the objects with the given IDs, and what they are related to within a scope.
  ///
  /// Parhelion's addition, because IDs go from one task to another, and objects do not. What is not
  /// saved is not shared.
  @discardableResult
  public func share(
    managedObjectsWith objectIDs: [NSManagedObjectID], to share: CKShare?,
    within scope: SharingScope = .everything
  ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
    try await keeper.share(SharedObjects(objectIDs), in: share, within: scope)
  }

  // MARK: Preview

  /// An object that would become visible if others were shared, or that stands in the way.
  ///
  /// Parhelion's addition.
  public struct SharePreviewItem: Hashable, Sendable {
    /// The object.
    public let objectID: NSManagedObjectID
    /// The object from which it is reached; nil for an object that was given.
    public let reachedFrom: NSManagedObjectID?
    /// The relationship that leads to it; nil for an object that was given.
    public let relationship: String?
    /// The zone of the share that the object is in already, which stands in the way; nil if it is
    /// in none.
    public let sharedIn: CKRecordZone.ID?
    /// Whether the scope excludes the object.
    ///
    /// Its relationship to an object inside stands in the way. Objects beyond it are not listed.
    public let isBeyondScope: Bool
  }

  /// Lists the objects that `share(_:to:within:)` would share, each with a way to it.
  ///
  /// Parhelion's addition. Nothing is changed, and no request is made.
  public func sharePreview(
    of managedObjects: [NSManagedObject], within scope: SharingScope = .everything
  ) throws -> [SharePreviewItem] {
    try keeper.preview(SharedObjects(managedObjects), within: scope)
  }
}
