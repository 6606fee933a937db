public import Foundation

// MARK: - Contexts

extension NSNotification.Name {
  /// A context is about to save.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagingContextWillSaveChangesNotification")

  /// A context saved: the notification holds the objects that were inserted, updated and deleted.
  public static let NSManagedObjectContextDidSave = NSNotification.Name(
    "NSManagingContextDidSaveChangesNotification")

  /// Objects of a context changed: the notification holds them.
  public static let NSManagedObjectContextObjectsDidChange = NSNotification.Name(
    "NSObjectsChangedInManagingContextNotification")

  /// A context saved: the notification holds the identifiers of the objects that were inserted,
  /// updated and deleted.
  public static let NSManagedObjectContextDidSaveObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidSaveObjectIDsNotification")

  /// A context took over changes that another one saved: the notification holds the identifiers of
  /// the objects.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

// MARK: - Stores

extension NSNotification.Name {
  /// The stores of a coordinator are about to change.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")

  /// The stores of a coordinator changed.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")

  /// A coordinator is about to remove a store.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")

  /// Changes arrived through the document storage of iCloud, which is no longer used: nothing posts
  /// it.
  @available(*, deprecated, message: "Use NSPersistentStoreRemoteChange.")
  public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
    "com.apple.coredata.ubiquity.importer.didfinishimport")

  /// A store was changed, by this process or by another.
  ///
  /// It is posted for stores that were opened with
  /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification")
}
