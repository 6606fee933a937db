/// The reason why a store operation failed.
///
/// The layers below the object graph throw it. The object graph converts it to an `NSError` in
/// Cocoa's domain, in one place.
package struct StoreError: Error, CustomStringConvertible {
  /// A stable name for the error, with its Cocoa error code.
  package struct Code: Hashable, Sendable {
    package let name: String
    /// The code in Cocoa's domain.
    package let cocoaCode: Int

    package init(_ name: String, cocoaCode: Int) {
      self.name = name
      self.cocoaCode = cocoaCode
    }
  }

  package let code: Code
  /// The cause, the location, and the remedy.
  package let message: String
  /// The names in the message: entity, property, file, table.
  package let context: [String: String]
  /// The underlying error of the layer below, if there is one.
  package let underlying: (any Error)?

  package init(
    _ code: Code, _ message: String, context: [String: String] = [:], underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.context = context
    self.underlying = underlying
  }

  package var description: String { "\(code.name): \(message)" }
}

extension StoreError.Code {
  /// A fetch uses a feature that the store does not support.
  ///
  /// Apple's store raises an exception instead.
  package static let unsupportedFetch = Self("unsupportedFetch", cocoaCode: 134060)
  /// The store does not support this kind of request.
  package static let unsupportedRequest = Self("unsupportedRequest", cocoaCode: 134091)
  /// A file cannot be opened.
  package static let cannotOpen = Self("cannotOpen", cocoaCode: 134080)
  /// A file is not a Core Data store, or is damaged.
  package static let notAStore = Self("notAStore", cocoaCode: 259)
  /// A file is missing.
  package static let fileNotFound = Self("fileNotFound", cocoaCode: 260)
  /// A store was written with another version of the model.
  package static let incompatibleModel = Self("incompatibleModel", cocoaCode: 134100)
  /// The model cannot be stored in this kind of store.
  package static let incompatibleSchema = Self("incompatibleSchema", cocoaCode: 134020)
  /// A write to a read-only store.
  package static let readOnly = Self("readOnly", cocoaCode: 513)
  /// SQLite failed.
  package static let sqlite = Self("sqlite", cocoaCode: 134180)
  /// The disk is full.
  package static let outOfSpace = Self("outOfSpace", cocoaCode: 640)
  /// A store stayed locked for longer than its timeout.
  package static let timeout = Self("timeout", cocoaCode: 134090)
  /// The store cannot be migrated.
  package static let migration = Self("migration", cocoaCode: 134110)
  /// Another program changed a store that was to be migrated.
  package static let migratedElsewhere = Self("migratedElsewhere", cocoaCode: 134110)
  /// No model was found that matches the store to be migrated.
  package static let migrationMissingSourceModel = Self(
    "migrationMissingSourceModel", cocoaCode: 134130)
  /// A store must be migrated, and no mapping model was found.
  package static let migrationMissingMappingModel = Self(
    "migrationMissingMappingModel", cocoaCode: 134140)
  /// Rows of a store violate a uniqueness constraint of the new version.
  package static let migrationConstraintViolation = Self(
    "migrationConstraintViolation", cocoaCode: 134111)
  /// No mapping between two models can be inferred.
  package static let inferredMappingModel = Self("inferredMappingModel", cocoaCode: 134190)
  /// The history after a token was deleted, or the token's transaction is unknown.
  package static let historyTokenExpired = Self("historyTokenExpired", cocoaCode: 134301)
  /// An attribute's external file is missing or cannot be read.
  package static let externalData = Self("externalData", cocoaCode: 134200)
  /// A batch request sets an attribute to a value that it cannot have.
  package static let batchValue = Self("batchValue", cocoaCode: 1550)
  /// A batch request violates a uniqueness constraint.
  package static let batchUniqueness = Self("batchUniqueness", cocoaCode: 133021)
  /// The delete rule Deny of a relationship stops a batch deletion.
  package static let batchDenied = Self("batchDenied", cocoaCode: 1600)
  /// A batch deletion would leave a required relationship without a destination.
  package static let batchRequired = Self("batchRequired", cocoaCode: 1570)
}
