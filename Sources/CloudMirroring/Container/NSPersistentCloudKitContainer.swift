public import CloudKitClient
public import Foundation
public import ManagedObjectModel
public import ManagedObjects
public import ObjectRows

/// A persistent container that mirrors its stores to CloudKit databases.
///
/// Changes that are saved here appear on the user's other devices, and theirs appear here.
///
/// ```swift
/// let container = NSPersistentCloudKitContainer(name: "Notes")
/// container.persistentStoreDescriptions.first?.cloudKitContainerOptions =
///   NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.notes")
/// try await container.loadPersistentStores()
/// container.viewContext.automaticallyMergesChangesFromParent = true
/// ```
///
/// A store is mirrored if its description has `cloudKitContainerOptions`; other stores stay on this
/// device. A save never waits for the network: its changes are recorded in the same transaction and
/// sent afterwards. `syncState` reports the progress.
// Sendable: immutable, as its superclass is but for what lies behind mutexes.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
  /// What mirrors the stores of the coordinator.
  package let keeper: MirrorKeeper

  /// Creates a container for a model.
  ///
  /// If the program has configured a CloudKit container, the first store description uses the one
  /// that was configured first.
  public override init(name: String, managedObjectModel model: NSManagedObjectModel) {
    keeper = MirrorKeeper()
    super.init(name: name, managedObjectModel: model)
    keeper.attend(persistentStoreCoordinator)
    keeper.publisher.setSender(self)
    guard let identifier = CKContainer.default().containerIdentifier else { return }
    persistentStoreDescriptions.first?.cloudKitContainerOptions =
      NSPersistentCloudKitContainerOptions(
        containerIdentifier: identifier)
  }

  /// Posted when a setup, an import or an export starts, and when it ends.
  ///
  /// The notification's object is the container. Its `userInfo` holds the event under
  /// `eventNotificationUserInfoKey`.
  public static let eventChangedNotification = Notification.Name(
    "NSPersistentCloudKitContainerEventChangedNotification")

  /// The key of the event in a notification's `userInfo`.
  public static let eventNotificationUserInfoKey = "event"

  // MARK: Records

  /// Returns the record of an object as last received from the server, or nil if the server does
  /// not have it yet.
  ///
  /// The record does not contain local changes that were not sent yet. Changing it has no effect on
  /// the server.
  open func record(for managedObjectID: NSManagedObjectID) -> CKRecord? {
    records(for: [managedObjectID]).values.first
  }

  /// Returns the records of objects as last received from the server.
  open func records(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord] {
    keeper.records(for: managedObjectIDs)
  }

  /// Returns the record ID of an object, or nil if it has none yet.
  open func recordID(for managedObjectID: NSManagedObjectID) -> CKRecord.ID? {
    recordIDs(for: [managedObjectID]).values.first
  }

  /// Returns the record IDs of objects.
  open func recordIDs(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord.ID]
  {
    keeper.recordIDs(for: managedObjectIDs)
  }

  // MARK: Permission

  /// Returns whether the user may change the record of an object.
  ///
  /// For an object that is not mirrored, the answer depends on its store alone.
  open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    keeper.permission(for: objectID).canUpdate
  }

  /// Returns whether the user may delete the record of an object.
  open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    keeper.permission(for: objectID).canDelete
  }

  /// Returns whether the user may insert and change objects in a store.
  ///
  /// While no account is signed in, a store of a public database cannot be changed.
  open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { keeper.canModify(store) }

  // MARK: Schema

  /// Creates every record type and field of the model in the development environment.
  ///
  /// The method saves one record of each type, with a value in every field, and deletes it again.
  /// Call it during development, before you deploy the schema. A shipped program does not need it.
  ///
  /// The records are saved to a separate zone of the signed-in user's private database, whatever
  /// database a store is mirrored with.
  ///
  /// - Throws: An error if the model, the account or the server does not allow it, or if no store
  ///   is mirrored.
  open func initializeCloudKitSchema(
    options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
  ) throws {
    try keeper.initializeSchema(options)
  }
}
