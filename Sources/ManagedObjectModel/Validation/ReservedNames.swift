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

  /// The methods that every object has in Objective-C, but not in Swift on other platforms.
  ///
  /// They are only warned about, because published applications have properties with such names.
  static let objectiveCMethods: Set<String> = [
    "autorelease", "class", "dealloc", "observationInfo", "release", "retain", "retainCount",
    "superclass", "zone",
  ]
}
