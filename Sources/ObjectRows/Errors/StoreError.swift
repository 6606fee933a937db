/// Why a store could not do what it was asked for.
///
/// The layers below the object graph throw it; the graph turns it into an `NSError` in Cocoa's
/// domain, in one place.
package struct StoreError: Error, CustomStringConvertible {
  /// What went wrong, as a stable name with the code that Cocoa has for it.
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
  /// What was wrong, where, and what to do.
  package let message: String
  /// The names that the message speaks of: entity, property, file, table.
  package let context: [String: String]
  /// The error of the layer below, if one caused this.
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
  /// A fetch asks for something that the store has no means for: Apple's store raises an exception
  /// with this text.
  package static let unsupportedFetch = Self("unsupportedFetch", cocoaCode: 134060)
  /// A request of a kind that the store does not know.
  package static let unsupportedRequest = Self("unsupportedRequest", cocoaCode: 134091)
  /// A file cannot be opened.
  package static let cannotOpen = Self("cannotOpen", cocoaCode: 134080)
  /// A file is no Core Data store, or damaged.
  package static let notAStore = Self("notAStore", cocoaCode: 259)
  /// A file is missing.
  package static let fileNotFound = Self("fileNotFound", cocoaCode: 260)
  /// A store was written with another version of the model.
  package static let incompatibleModel = Self("incompatibleModel", cocoaCode: 134100)
  /// A model cannot be kept in this kind of store.
  package static let incompatibleSchema = Self("incompatibleSchema", cocoaCode: 134020)
  /// A write to a store that was opened for reading.
  package static let readOnly = Self("readOnly", cocoaCode: 513)
  /// SQLite failed.
  package static let sqlite = Self("sqlite", cocoaCode: 134180)
  /// There is no room on the disk.
  package static let outOfSpace = Self("outOfSpace", cocoaCode: 640)
  /// A store stayed locked for longer than its timeout.
  package static let timeout = Self("timeout", cocoaCode: 134090)
  /// The store cannot be migrated, and why.
  package static let migration = Self("migration", cocoaCode: 134110)
  /// No model is known that fits the store that is to be migrated.
  package static let migrationMissingSourceModel = Self(
    "migrationMissingSourceModel", cocoaCode: 134130)
  /// A store has to be migrated, and there is no mapping for it.
  package static let migrationMissingMappingModel = Self(
    "migrationMissingMappingModel", cocoaCode: 134140)
  /// The rows of a store break a uniqueness constraint of the version that it is migrated to.
  package static let migrationConstraintViolation = Self(
    "migrationConstraintViolation", cocoaCode: 134111)
  /// No mapping between two models can be inferred.
  package static let inferredMappingModel = Self("inferredMappingModel", cocoaCode: 134190)
  /// A position in the history that was deleted.
  package static let historyTokenExpired = Self("historyTokenExpired", cocoaCode: 134301)
  /// A file of an attribute's bytes is missing or cannot be read.
  package static let externalData = Self("externalData", cocoaCode: 134200)
}
