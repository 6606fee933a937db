public import Foundation

// MARK: - Validation

extension CocoaError {
  /// The object that failed to validate.
  public var validationObject: Any? { unsafe userInfo[NSValidationObjectErrorKey] }

  /// The name of the property that failed to validate.
  public var validationKey: String? { unsafe userInfo[NSValidationKeyErrorKey] as? String }

  /// The predicate that the value does not satisfy, if there is one.
  public var validationPredicate: NSPredicate? {
    unsafe userInfo[NSValidationPredicateErrorKey] as? NSPredicate
  }

  /// The value that failed to validate, if there is one.
  public var validationValue: Any? { unsafe userInfo[NSValidationValueErrorKey] }
}

// MARK: - Stores and saves

extension CocoaError {
  /// The objects that caused the error.
  public var affectedObjects: [AnyObject]? {
    unsafe userInfo[NSAffectedObjectsErrorKey] as? [AnyObject]
  }

  /// The stores that caused the error.
  public var affectedStores: [AnyObject]? {
    unsafe userInfo[NSAffectedStoresErrorKey] as? [AnyObject]
  }

  /// The conflicts that prevented a save.
  public var persistentStoreSaveConflicts: [NSMergeConflict]? {
    unsafe userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
  }
}
