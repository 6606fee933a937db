/// Names of members that a property would hide.
enum ReservedNames {
  /// The names that a property cannot have, because every managed object has a member with that
  /// name.
  static let members: Set<String> = [
    // `NSObject`.
    "copy", "debugDescription", "description", "hash", "hashValue", "init", "isProxy",
    "mutableCopy", "self",
    // `NSManagedObject`.
    "changedValues", "entity", "faultingState", "hasChanges", "hasPersistentChangedValues",
    "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext", "objectID",
  ]

  /// The methods of every object in Objective-C, which Swift on other platforms lacks.
  ///
  /// Applications ship with properties of such names.
  static let objectiveCMethods: Set<String> = [
    "autorelease", "class", "dealloc", "observationInfo", "release", "retain", "retainCount",
    "superclass", "zone",
  ]
}
