// The codes of errors in `NSCocoaErrorDomain`.

// MARK: - Validation

/// An object does not meet the constraints of its entity.
public let NSManagedObjectValidationError = 1550

/// An object violates a uniqueness constraint.
public let NSManagedObjectConstraintValidationError = 1551

/// Several validations failed.
///
/// `NSDetailedErrorsKey` holds an error for each.
public let NSValidationMultipleErrorsError = 1560

/// A required property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570

/// A relationship has fewer objects than its minimum.
public let NSValidationRelationshipLacksMinimumCountError = 1580

/// A relationship has more objects than its maximum.
public let NSValidationRelationshipExceedsMaximumCountError = 1590

/// An object cannot be deleted because a relationship with the rule Deny is not empty.
public let NSValidationRelationshipDeniedDeleteError = 1600

/// A number is greater than its maximum.
public let NSValidationNumberTooLargeError = 1610

/// A number is less than its minimum.
public let NSValidationNumberTooSmallError = 1620

/// A date is later than its maximum.
public let NSValidationDateTooLateError = 1630

/// A date is earlier than its minimum.
public let NSValidationDateTooSoonError = 1640

/// A date is invalid.
public let NSValidationInvalidDateError = 1650

/// A string is longer than its maximum.
public let NSValidationStringTooLongError = 1660

/// A string is shorter than its minimum.
public let NSValidationStringTooShortError = 1670

/// A string does not match its regular expression.
public let NSValidationStringPatternMatchingError = 1680

/// A URI is malformed.
public let NSValidationInvalidURIError = 1690

// MARK: - Objects and contexts

/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132_000

/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132_010

/// A requested object does not exist in the store.
public let NSManagedObjectReferentialIntegrityError = 133_000

/// A relationship references an object that is unsaved, or in another store.
public let NSManagedObjectExternalRelationshipError = 133_010

/// Changes conflict with changes that another context or process saved.
public let NSManagedObjectMergeError = 133_020

/// Objects have equal values for a uniqueness constraint.
public let NSManagedObjectConstraintMergeError = 133_021

// MARK: - Stores

/// The type of a store is unknown.
public let NSPersistentStoreInvalidTypeError = 134_000

/// A store does not have the given type.
public let NSPersistentStoreTypeMismatchError = 134_010

/// A store is incompatible with the model.
public let NSPersistentStoreIncompatibleSchemaError = 134_020

/// A store could not save.
public let NSPersistentStoreSaveError = 134_030

/// Some of several stores could not save.
///
/// `NSAffectedStoresErrorKey` holds the stores that failed.
public let NSPersistentStoreIncompleteSaveError = 134_040

/// A save conflicts with the contents of a store.
public let NSPersistentStoreSaveConflictsError = 134_050

/// An error without a more specific code.
public let NSCoreDataError = 134_060

/// An operation of a store failed.
public let NSPersistentStoreOperationError = 134_070

/// A store could not be opened.
public let NSPersistentStoreOpenError = 134_080

/// A store did not answer within its timeout.
public let NSPersistentStoreTimeoutError = 134_090

/// A store does not support this kind of request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134_091

/// A store was written with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134_100

// MARK: - Migration and history

/// A store could not be migrated.
public let NSMigrationError = 134_110

/// Rows of a store violate a uniqueness constraint of the new model.
public let NSMigrationConstraintViolationError = 134_111

/// A migration was cancelled.
public let NSMigrationCancelledError = 134_120

/// The model with which a store was written was not found.
public let NSMigrationMissingSourceModelError = 134_130

/// No mapping model was found between two versions of a model.
public let NSMigrationMissingMappingModelError = 134_140

/// The source store of a migration failed.
public let NSMigrationManagerSourceStoreError = 134_150

/// The destination store of a migration failed.
public let NSMigrationManagerDestinationStoreError = 134_160

/// The migration of an entity failed.
public let NSEntityMigrationPolicyError = 134_170

/// SQLite failed.
///
/// `NSSQLiteErrorDomain` holds its result code.
public let NSSQLiteError = 134_180

/// No mapping model between two versions of a model can be inferred.
public let NSInferredMappingModelError = 134_190

/// A file of an external record could not be read.
public let NSExternalRecordImportError = 134_200

/// The history that follows a token no longer exists.
public let NSPersistentHistoryTokenExpiredError = 134_301

/// A model reference does not resolve to a model.
public let NSManagedObjectModelReferenceNotFoundError = 134_504

/// A store's version information is insufficient for a staged migration.
public let NSStagedMigrationFrameworkVersionMismatchError = 134_505

/// The stages of a migration go backwards.
public let NSStagedMigrationBackwardMigrationError = 134_506
