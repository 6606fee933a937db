/// Names that a property cannot have, because every managed object has a method or property of that
/// name.
enum ReservedNames {
  static let propertyNames: Set<String> = [
    // Of every object.
    "autorelease", "class", "copy", "dealloc", "debugDescription", "description", "hash",
    "hashValue", "init",
    "isProxy", "mutableCopy", "observationInfo", "release", "retain", "retainCount", "self",
    "superclass", "zone",
    // Of every managed object.
    "changedValues", "entity", "faultingState", "hasChanges", "hasPersistentChangedValues",
    "isDeleted", "isFault",
    "isInserted", "isUpdated", "managedObjectContext", "objectID",
  ]
}
