/// The members that every managed object class inherits, which no generated property may be named like.
enum InheritedMembers {
  static let names: Set<String> = [
    "class", "copy", "debugDescription", "description", "entity", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "hash", "hashValue", "init", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "mutableCopy", "objectID", "self", "superclass", "values", "version",
  ]
}
