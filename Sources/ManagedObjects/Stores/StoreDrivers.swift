import ObjectRows

/// The types of stores that can be opened.
enum StoreDrivers {
  private static let all: [any StoreDriver] = [SQLiteStoreDriver(), MemoryStoreDriver()]

  /// The driver of a type of stores.
  ///
  /// Throws where stores of the type cannot be opened.
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
  /// No store can be of this type.
  static let invalidStoreType = Self("invalidStoreType", cocoaCode: 134000)
  /// A coordinator has the store already.
  static let storeAddedTwice = Self("storeAddedTwice", cocoaCode: 134081)
  /// A model has no configuration of the name.
  static let unknownConfiguration = Self("unknownConfiguration", cocoaCode: 134060)
  /// A store that is not, or no longer, one of the coordinator's.
  static let foreignStore = Self("foreignStore", cocoaCode: 134060)
  /// A store of this type cannot do this.
  static let unsupportedOperation = Self("unsupportedOperation", cocoaCode: 134070)
}
