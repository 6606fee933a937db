public import Foundation

extension CocoaError {
  /// An object does not meet the conditions of its entity.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }

  /// An object breaks a uniqueness constraint.
  public static var managedObjectConstraintValidation: CocoaError.Code {
    .managedObjectConstraintValidation
  }

  /// Several conditions are not met: `NSDetailedErrorsKey` holds an error for each.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }

  /// A required property has no value.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }

  /// A relationship leads to fewer objects than its minimum.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }

  /// A relationship leads to more objects than its maximum.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }

  /// An object cannot be deleted while a relationship with the rule Deny leads to another.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    .validationRelationshipDeniedDelete
  }

  /// A number is greater than its maximum.
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }

  /// A number is less than its minimum.
  public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }

  /// A date is later than its maximum.
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }

  /// A date is earlier than its minimum.
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }

  /// A date is no valid date.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }

  /// A text is longer than its maximum.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }

  /// A text is shorter than its minimum.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }

  /// A text does not match its regular expression.
  public static var validationStringPatternMatching: CocoaError.Code {
    .validationStringPatternMatching
  }

  /// A URI is malformed.
  public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }

  // MARK: Objects and contexts

  /// A context could not be locked.
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }

  /// A coordinator could not be locked.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    .persistentStoreCoordinatorLocking
  }

  /// An object that is asked for does not exist in the store.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    .managedObjectReferentialIntegrity
  }

  /// A relationship leads to an object that is not saved, or in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    .managedObjectExternalRelationship
  }

  /// Changes conflict with those that others saved.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }

  /// Objects have equal values in a uniqueness constraint.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }

  // MARK: Stores

  /// The type of a store is unknown.
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }

  /// A store is not of the type that was named.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }

  /// A store cannot keep the model.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    .persistentStoreIncompatibleSchema
  }

  /// A store could not save.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }

  /// Some of several stores could not save: `NSAffectedStoresErrorKey` holds them.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    .persistentStoreIncompleteSave
  }

  /// A save conflicts with what a store holds.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }

  /// Something went wrong that has no code of its own.
  public static var coreData: CocoaError.Code { .coreData }

  /// An operation of a store failed.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }

  /// A store could not be opened.
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }

  /// A store did not answer within its timeout.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }

  /// A store does not know this kind of request.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }

  /// A store was written with another version of the model.
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    .persistentStoreIncompatibleVersionHash
  }

  // MARK: Migration and history

  /// A store could not be migrated.
  public static var migration: CocoaError.Code { .migration }

  /// The rows of a store break a uniqueness constraint of the new model.
  public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }

  /// A migration was cancelled.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }

  /// No model is known that a store was written with.
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }

  /// No mapping is known between two versions of a model.
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }

  /// The source of a migration failed.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }

  /// The destination of a migration failed.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    .migrationManagerDestinationStore
  }

  /// The migration of an entity failed.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }

  /// SQLite failed: `NSSQLiteErrorDomain` holds its result code.
  public static var sqlite: CocoaError.Code { .sqlite }

  /// No mapping between two versions of a model can be inferred.
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }

  /// A file of an external record could not be read.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }

  /// The history that follows a token was deleted.
  public static var persistentHistoryTokenExpired: CocoaError.Code {
    .persistentHistoryTokenExpired
  }

  /// A reference to a model leads to none.
  public static var managedObjectModelReferenceNotFound: CocoaError.Code {
    .managedObjectModelReferenceNotFound
  }

  /// A store says too little of its version for a migration in stages.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    .stagedMigrationFrameworkVersionMismatch
  }

  /// The stages of a migration lead backwards.
  public static var stagedMigrationBackwardMigration: CocoaError.Code {
    .stagedMigrationBackwardMigration
  }
}
