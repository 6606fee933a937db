// The keys of `userInfo` in errors.

/// The individual errors, if an error combines several: an array of `NSError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"

/// The object that failed to validate.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"

/// The name of the property that failed to validate.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"

/// The predicate that the value does not satisfy, if there is one.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"

/// The value that failed to validate, if there is one.
public let NSValidationValueErrorKey = "NSValidationErrorValue"

/// The stores that caused an error: an array of `NSPersistentStore`.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"

/// The objects that caused an error: an array of `NSManagedObject`.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"

/// The conflicts that prevented a save: an array of `NSMergeConflict` or `NSConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

/// The domain of SQLite's result codes, and the key under which an error holds one.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
