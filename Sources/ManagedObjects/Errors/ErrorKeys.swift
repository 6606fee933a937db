// The keys of errors' `userInfo`.

/// The errors that an error stands for, where there are several: an array of `NSError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"

/// The object that failed to validate.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"

/// The name of the property that failed to validate.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"

/// The condition that a value does not meet, where it is a predicate.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"

/// The value that failed to validate, where there is one.
public let NSValidationValueErrorKey = "NSValidationErrorValue"

/// The stores that caused an error: an array of `NSPersistentStore`.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"

/// The objects that caused an error: an array of `NSManagedObject`.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"

/// The conflicts that stopped a save: an array of `NSMergeConflict`, or of `NSConstraintConflict`.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

/// The domain of SQLite's result codes, and the key under which an error holds one.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
