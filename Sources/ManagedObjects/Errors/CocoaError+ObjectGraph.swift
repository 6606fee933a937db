public import Foundation

extension CocoaError {
  /// An object does not meet the constraints of its entity.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }

  /// An object violates a uniqueness constraint.
  public static var managedObjectConstraintValidation: CocoaError.Code {
    .managedObjectConstraintValidation
  }

  /// Several validations failed.
  ///
  /// `NSDetailedErrorsKey` holds an error for each.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }

  /// A required property has no value.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }

  /// A relationship has fewer objects than its minimum.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }

  /// A relationship has more objects than its maximum.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }

  /// An object cannot be deleted because a relationship with the rule Deny is not empty.
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

  /// A date is invalid.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }

  /// A string is longer than its maximum.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }

  /// A string is shorter than its minimum.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }

  /// A string does not match its regular expression.
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

  /// A requested object does not exist in the store.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    .managedObjectReferentialIntegrity
  }

  /// A relationship references an object that is unsaved, or in another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    .managedObjectExternalRelationship
  }

  /// Changes conflict with changes that another context or process saved.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }

  /// Objects have equal values for a uniqueness constraint.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }

  // MARK: Stores

  /// The type of a store is unknown.
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }

  /// A store does not have the given type.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }

  /// A store is incompatible with the model.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    .persistentStoreIncompatibleSchema
  }

  /// A store could not save.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }

  /// Some of several stores could not save.
  ///
  /// `NSAffectedStoresErrorKey` holds the stores that failed.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    .persistentStoreIncompleteSave
  }

  /// A save conflicts with the contents of a store.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }

  /// An error without a more specific code.
  public static var coreData: CocoaError.Code { .coreData }

  /// An operation of a store failed.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }

  /// A store could not be opened.
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }

  /// A store did not answer within its timeout.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }

  /// A store does not support this kind of request.
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

  /// Rows of a store violate a uniqueness constraint of the new model.
  public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }

  /// A migration was cancelled.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }

  /// The model with which a store was written was not found.
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }

  /// No mapping model was found between two versions of a model.
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }

  /// The source store of a migration failed.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }

  /// The destination store of a migration failed.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    .migrationManagerDestinationStore
  }

  /// The migration of an entity failed.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }

  /// SQLite failed.
  ///
  /// `NSSQLiteErrorDomain` holds its result code.
  public static var sqlite: CocoaError.Code { .sqlite }

  /// No mapping model between two versions of a model can be inferred.
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }

  /// A file of an external record could not be read.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }

  /// The history that follows a token no longer exists.
  public static var persistentHistoryTokenExpired: CocoaError.Code {
    .persistentHistoryTokenExpired
  }

  /// A model reference does not resolve to a model.
  public static var managedObjectModelReferenceNotFound: CocoaError.Code {
    .managedObjectModelReferenceNotFound
  }

  /// A store's version information is insufficient for a staged migration.
  public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
    .stagedMigrationFrameworkVersionMismatch
  }

  /// The stages of a migration go backwards.
  public static var stagedMigrationBackwardMigration: CocoaError.Code {
    .stagedMigrationBackwardMigration
  }
}
