public import Foundation

extension CocoaError.Code {
  /// An object does not meet the conditions of its entity.
  public static var managedObjectValidation: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectValidationError)
  }

  /// An object breaks a uniqueness constraint.
  public static var managedObjectConstraintValidation: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectConstraintValidationError)
  }

  /// Several conditions are not met: `NSDetailedErrorsKey` holds an error for each.
  public static var validationMultipleErrors: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationMultipleErrorsError)
  }

  /// A required property has no value.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationMissingMandatoryPropertyError)
  }

  /// A relationship leads to fewer objects than its minimum.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipLacksMinimumCountError)
  }

  /// A relationship leads to more objects than its maximum.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationRelationshipExceedsMaximumCountError)
  }

  /// An object cannot be deleted while a relationship with the rule Deny leads to another.
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

  /// A date is no valid date.
  public static var validationInvalidDate: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationInvalidDateError)
  }

  /// A text is longer than its maximum.
  public static var validationStringTooLong: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringTooLongError)
  }

  /// A text is shorter than its minimum.
  public static var validationStringTooShort: CocoaError.Code {
    CocoaError.Code(rawValue: NSValidationStringTooShortError)
  }

  /// A text does not match its regular expression.
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

  /// An object that is asked for does not exist in the store.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
  }

  /// A relationship leads to an object that is not saved, or in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError)
  }

  /// Changes conflict with those that others saved.
  public static var managedObjectMerge: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectMergeError)
  }

  /// Objects have equal values in a uniqueness constraint.
  public static var managedObjectConstraintMerge: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError)
  }

  // MARK: Stores

  /// The type of a store is unknown.
  public static var persistentStoreInvalidType: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError)
  }

  /// A store is not of the type that was named.
  public static var persistentStoreTypeMismatch: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreTypeMismatchError)
  }

  /// A store cannot keep the model.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError)
  }

  /// A store could not save.
  public static var persistentStoreSave: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreSaveError)
  }

  /// Some of several stores could not save: `NSAffectedStoresErrorKey` holds them.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError)
  }

  /// A save conflicts with what a store holds.
  public static var persistentStoreSaveConflicts: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentStoreSaveConflictsError)
  }

  /// Something went wrong that has no code of its own.
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

  /// A store does not know this kind of request.
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

  /// The rows of a store break a uniqueness constraint of the new model.
  public static var migrationConstraintViolation: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationConstraintViolationError)
  }

  /// A migration was cancelled.
  public static var migrationCancelled: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationCancelledError)
  }

  /// No model is known that a store was written with.
  public static var migrationMissingSourceModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationMissingSourceModelError)
  }

  /// No mapping is known between two versions of a model.
  public static var migrationMissingMappingModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationMissingMappingModelError)
  }

  /// The source of a migration failed.
  public static var migrationManagerSourceStore: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationManagerSourceStoreError)
  }

  /// The destination of a migration failed.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    CocoaError.Code(rawValue: NSMigrationManagerDestinationStoreError)
  }

  /// The migration of an entity failed.
  public static var entityMigrationPolicy: CocoaError.Code {
    CocoaError.Code(rawValue: NSEntityMigrationPolicyError)
  }

  /// SQLite failed: `NSSQLiteErrorDomain` holds its result code.
  public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: NSSQLiteError) }

  /// No mapping between two versions of a model can be inferred.
  public static var inferredMappingModel: CocoaError.Code {
    CocoaError.Code(rawValue: NSInferredMappingModelError)
  }

  /// A file of an external record could not be read.
  public static var externalRecordImport: CocoaError.Code {
    CocoaError.Code(rawValue: NSExternalRecordImportError)
  }

  /// The history that follows a token was deleted.
  public static var persistentHistoryTokenExpired: CocoaError.Code {
    CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError)
  }

  /// A reference to a model leads to none.
  public static var managedObjectModelReferenceNotFound: CocoaError.Code {
    CocoaError.Code(rawValue: NSManagedObjectModelReferenceNotFoundError)
  }

  /// A store says too little of its version for a migration in stages.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    CocoaError.Code(rawValue: NSStagedMigrationFrameworkVersionMismatchError)
  }

  /// The stages of a migration lead backwards.
  public static var stagedMigrationBackwardMigration: CocoaError.Code {
    CocoaError.Code(rawValue: NSStagedMigrationBackwardMigrationError)
  }
}
