/// Names that a property cannot have, because every managed object has a method or property with
/// that name.
enum ReservedNames {
  static let propertyNames: Set<String> = [
    // `NSObject`.
    "autorelease", "class", "copy", "dealloc", "debugDescription", "description", "hash",
    "hashValue", "init",
    "isProxy", "mutableCopy", "observationInfo", "release", "retain", "retainCount", "self",
    "superclass", "zone",
    // `NSManagedObject`.
    "changedValues", "entity", "faultingState", "hasChanges", "hasPersistentChangedValues",
    "isDeleted", "isFault",
    "isInserted", "isUpdated", "managedObjectContext", "objectID",
  ]
}
