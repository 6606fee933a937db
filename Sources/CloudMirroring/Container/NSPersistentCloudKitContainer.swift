public import CloudKitClient
public import Foundation
public import ManagedObjectModel
public import ManagedObjects
public import ObjectRows

/// A container whose stores are kept alike with the cloud: what is saved here appears on the user's
/// other devices, and what they save appears here.
///
/// ```swift
/// let container = NSPersistentCloudKitContainer(name: "Notes")
/// container.persistentStoreDescriptions.first?.cloudKitContainerOptions =
///   NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.com.example.notes")
/// try await container.loadPersistentStores()
/// container.viewContext.automaticallyMergesChangesFromParent = true
/// ```
///
/// Each store whose description has `cloudKitContainerOptions` is mirrored by itself; others stay
/// on this device. A save never waits for the network: what it changed is noted in the same
/// transaction, and is sent afterwards. `syncState` says where everything is.
// Sendable: immutable, as its superclass is but for what lies behind mutexes.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
  /// What mirrors the stores of the coordinator.
  package let keeper: MirrorKeeper

  /// A container for a model.
  ///
  /// The first description is mirrored with the container that the program has bound first, where
  /// it has bound one.
  public override init(name: String, managedObjectModel model: NSManagedObjectModel) {
    keeper = MirrorKeeper()
    super.init(name: name, managedObjectModel: model)
    keeper.attend(persistentStoreCoordinator)
    keeper.teller.setSender(self)
    guard let identifier = CKContainer.default().containerIdentifier else { return }
    persistentStoreDescriptions.first?.cloudKitContainerOptions =
      NSPersistentCloudKitContainerOptions(
        containerIdentifier: identifier)
  }

  /// Told when an event begins, and when it ends: a setup, an import or an export.
  ///
  /// The event is in the notification's `userInfo`, under `eventNotificationUserInfoKey`. The
  /// notification's object is the container.
  public static let eventChangedNotification = Notification.Name(
    "NSPersistentCloudKitContainerEventChangedNotification")

  /// The key of the event in a notification.
  public static let eventNotificationUserInfoKey = "event"

  // MARK: Records

  /// The record that an object is mirrored by, as the server was last known to have it; nil for one
  /// that the cloud does not have yet.
  ///
  /// Values that were changed here and not sent yet are left out. Changing the record changes
  /// nothing in the cloud.
  open func record(for managedObjectID: NSManagedObjectID) -> CKRecord? {
    records(for: [managedObjectID]).values.first
  }

  /// The records that objects are mirrored by, as the server was last known to have them.
  open func records(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord] {
    keeper.records(for: managedObjectIDs)
  }

  /// The name of the record that an object is mirrored by; nil for one that has none yet.
  open func recordID(for managedObjectID: NSManagedObjectID) -> CKRecord.ID? {
    recordIDs(for: [managedObjectID]).values.first
  }

  /// The names of the records that objects are mirrored by.
  open func recordIDs(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord.ID]
  {
    keeper.recordIDs(for: managedObjectIDs)
  }

  // MARK: Permission

  /// Whether the user may change the record that an object is mirrored by.
  ///
  /// Objects that are not mirrored can be changed wherever their store can.
  open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    keeper.permission(for: objectID).canUpdate
  }

  /// Whether the user may delete the record that an object is mirrored by.
  open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool {
    keeper.permission(for: objectID).canDelete
  }

  /// Whether the user may make and change objects in a store.
  ///
  /// Nobody does in a store of a public database while nobody is signed in.
  open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { keeper.canModify(store) }

  // MARK: Schema

  /// Makes every type and field that the model needs known to the server's development environment.
  ///
  /// A record of each kind is saved, with a value in every field, and deleted again. Call it in
  /// development, before the schema is deployed; programs that people have do not need it. It
  /// returns when it is done.
  ///
  /// The records lie in the private database of who is signed in, in a zone of their own, whatever
  /// database a store is mirrored with.
  ///
  /// - Throws: What is wrong with the model, the account or the server, or that no store is
  ///   mirrored.
  open func initializeCloudKitSchema(
    options: NSPersistentCloudKitContainerSchemaInitializationOptions = []
  ) throws {
    try keeper.initializeSchema(options)
  }
}
