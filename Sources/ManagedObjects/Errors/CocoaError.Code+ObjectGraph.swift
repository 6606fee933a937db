public import Foundation

extension CocoaError.Code {
  /// An object does not meet the constraints of its entity.
  public static var managedObjectValidation: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectValidationError)
  }

  /// An object violates a uniqueness constraint.
  public static var managedObjectConstraintValidation: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectConstraintValidationError)
  }

  /// Several validations failed.
  ///
  /// The error's `userInfo` holds an error for each under the key `NSDetailedErrorsKey`.
  public static var validationMultipleErrors: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationMultipleErrorsError)
  }

  /// A required property has no value.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationMissingMandatoryPropertyError)
  }

  /// A relationship has fewer objects than its minimum.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipLacksMinimumCountError)
  }

  /// A relationship has more objects than its maximum.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipExceedsMaximumCountError)
  }

  /// An object cannot be deleted because a relationship with the rule Deny is not empty.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipDeniedDeleteError)
  }

  /// A number is greater than its maximum.
  public static var validationNumberTooLarge: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationNumberTooLargeError)
  }

  /// A number is less than its minimum.
  public static var validationNumberTooSmall: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationNumberTooSmallError)
  }

  /// A date is later than its maximum.
  public static var validationDateTooLate: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationDateTooLateError)
  }

  /// A date is earlier than its minimum.
  public static var validationDateTooSoon: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationDateTooSoonError)
  }

  /// A date is invalid.
  public static var validationInvalidDate: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationInvalidDateError)
  }

  /// A string is longer than its maximum.
  public static var validationStringTooLong: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringTooLongError)
  }

  /// A string is shorter than its minimum.
  public static var validationStringTooShort: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringTooShortError)
  }

  /// A string does not match its regular expression.
  public static var validationStringPatternMatching: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringPatternMatchingError)
  }

  /// A URI is malformed.
  public static var validationInvalidURI: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationInvalidURIError)
  }

  // MARK: Objects and contexts

  /// A context could not be locked.
  public static var managedObjectContextLocking: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectContextLockingError)
  }

  /// A coordinator could not be locked.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreCoordinatorLockingError)
  }

  /// A requested object does not exist in the store.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
  }

  /// A relationship references an object that is unsaved, or in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError)
  }

  /// Changes conflict with changes that another context or process saved.
  public static var managedObjectMerge: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectMergeError)
  }

  /// Objects have equal values for a uniqueness constraint.
  public static var managedObjectConstraintMerge: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError)
  }

  // MARK: Stores

  /// The type of a store is unknown.
  public static var persistentStoreInvalidType: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError)
  }

  /// A store does not have the given type.
  public static var persistentStoreTypeMismatch: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreTypeMismatchError)
  }

  /// A store is incompatible with the model.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError)
  }

  /// A store could not save.
  public static var persistentStoreSave: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreSaveError)
  }

  /// Some of several stores could not save.
  ///
  /// The error's `userInfo` holds the stores that failed under the key `NSAffectedStoresErrorKey`.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError)
  }

  /// A save conflicts with the contents of a store.
  public static var persistentStoreSaveConflicts: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreSaveConflictsError)
  }

  /// An error without a more specific code.
  public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: NSCoreDataError) }

  /// An operation of a store failed.
  public static var persistentStoreOperation: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreOperationError)
  }

  /// A store could not be opened.
  public static var persistentStoreOpen: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreOpenError)
  }

  /// A store did not answer within its timeout.
  public static var persistentStoreTimeout: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreTimeoutError)
  }

  /// A store does not support this kind of request.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
  }

  /// A store was written with another version of the model.
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompatibleVersionHashError)
  }

  // MARK: Migration and history

  /// A store could not be migrated.
  public static var migration: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationError) }

  /// Rows of a store violate a uniqueness constraint of the new model.
  public static var migrationConstraintViolation: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationConstraintViolationError)
  }

  /// A migration was cancelled.
  public static var migrationCancelled: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationCancelledError)
  }

  /// The model with which a store was written was not found.
  public static var migrationMissingSourceModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationMissingSourceModelError)
  }

  /// No mapping model was found between two versions of a model.
  public static var migrationMissingMappingModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationMissingMappingModelError)
  }

  /// The source store of a migration failed.
  public static var migrationManagerSourceStore: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationManagerSourceStoreError)
  }

  /// The destination store of a migration failed.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationManagerDestinationStoreError)
  }

  /// The migration of an entity failed.
  public static var entityMigrationPolicy: CocoaError.Code {
    CocoaError.Code(rawValue: NSEntityMigrationPolicyError)
  }

  /// SQLite failed.
  ///
  /// The error's `userInfo` holds the result code under the key `NSSQLiteErrorDomain`.
  public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: NSSQLiteError) }

  /// No mapping model between two versions of a model can be inferred.
  public static var inferredMappingModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSInferredMappingModelError)
  }

  /// A file of an external record could not be read.
  public static var externalRecordImport: CocoaError.Code {
    CocoaError.Code(rawValue: NSExternalRecordImportError)
  }

  /// The history that follows a token no longer exists.
  public static var persistentHistoryTokenExpired: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError)
  }

  /// A model reference does not resolve to a model.
  public static var managedObjectModelReferenceNotFound: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectModelReferenceNotFoundError)
  }

  /// A store's version information is insufficient for a staged migration.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    CocoaError.Code(rawValue: NSStagedMigrationFrameworkVersionMismatchError)
  }

  /// The stages of a migration go backwards.
  public static var stagedMigrationBackwardMigration: CocoaError.Code {
    CocoaError.Code(rawValue: NSStagedMigrationBackwardMigrationError)
  }
}
