public import Foundation

// MARK: - Contexts

extension NSNotification.Name {
  /// A notification that a context is about to save.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagingContextWillSaveChangesNotification")

  /// A notification that a context saved, with the inserted, updated and deleted objects.
  public static let NSManagedObjectContextDidSave = NSNotification.Name(
    "NSManagingContextDidSaveChangesNotification")

  /// A notification that objects of a context changed, with the objects.
  public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
    "NSObjectsChangedInManagingContextNotification")

  /// A notification that a context saved, with the identifiers of the inserted, updated and deleted
  /// objects.
  public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")

  /// A notification that a context merged another context's changes, with the identifiers of the
  /// objects.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

// MARK: - Stores

extension NSNotification.Name {
  /// A notification that the stores of a coordinator are about to change.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")

  /// A notification that the stores of a coordinator changed.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")

  /// A notification that a coordinator is about to remove a store.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")

  /// A notification of iCloud document storage, which Apple has discontinued.
  ///
  /// It is never posted.
  @available(*, deprecated, message: "Use NSPersistentStoreRemoteChange.")
  public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
    "com.apple.coredata.ubiquity.importer.didfinishimport")

  /// A notification that this or another process changed a store.
  ///
  /// It is posted for stores that were added with
  /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification")
}
