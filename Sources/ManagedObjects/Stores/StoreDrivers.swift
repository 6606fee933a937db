import ObjectRows

/// The types of stores that can be opened.
enum StoreDrivers {
  private static let all: [any StoreDriver] = [SQLiteStoreDriver(), MemoryStoreDriver()]

  /// The driver for a type of stores.
  ///
  /// - Throws: An error if stores of the type cannot be opened.
  static func driver(ofType type: String) throws(StoreError) -> any StoreDriver {
    if let driver = all.first(where: { $0.type == type }) { return driver }
    let known = all.map(\.type).joined(separator: " and ")
    let message =
      [NSBinaryStoreType, NSXMLStoreType].contains(type)
      ? "Stores of the type \(type) cannot be opened yet. Use \(known)."
      : "There is no store type \(type). The types are \(known)."
    throw StoreError(.invalidStoreType, message, context: [NSStoreTypeKey: type])
  }
}

extension StoreError.Code {
  /// The type is not a store type.
  static let invalidStoreType = Self("invalidStoreType", cocoaCode: 134000)
  /// The coordinator already has the store.
  static let storeAddedTwice = Self("storeAddedTwice", cocoaCode: 134081)
  /// The model has no configuration with the name.
  static let unknownConfiguration = Self("unknownConfiguration", cocoaCode: 134060)
  /// The store does not belong to the coordinator.
  static let foreignStore = Self("foreignStore", cocoaCode: 134060)
  /// Stores of this type do not support the operation.
  static let unsupportedOperation = Self("unsupportedOperation", cocoaCode: 134070)
}
