import ObjectRows

/// The types of stores that can be opened.
enum StoreDrivers {
  private static let all: [any StoreDriver] = [
    SQLiteStoreDriver(), MemoryStoreDriver(),
    CustomStoreDriver(type: NSBinaryStoreType, storeClass: BinaryStore.self),
    CustomStoreDriver(type: NSXMLStoreType, storeClass: XMLStore.self),
  ]

  /// The types of stores of this library, with the classes of their public counterparts.
  static let classes: [String: NSPersistentStore.Type] = [
    NSSQLiteStoreType: NSPersistentStore.self, NSInMemoryStoreType: NSPersistentStore.self,
    NSBinaryStoreType: BinaryStore.self, NSXMLStoreType: XMLStore.self,
  ]

  /// The driver for a type of stores: of the program's class, or of this library.
  ///
  /// - Throws: An error if there is no such type.
  static func driver(ofType type: String) throws(StoreError) -> any StoreDriver {
    if let driver = StoreClasses.driver(ofType: type) { return driver }
    if let driver = all.first(where: { $0.type == type }) { return driver }
    let known = (all.map(\.type) + StoreClasses.types.keys.sorted()).joined(separator: ", ")
    throw StoreError(
      .invalidStoreType,
      "There is no store type \(type). The types are \(known). Register a class of your own "
        + "with registerStoreClass(_:forStoreType:) first.",
      context: [NSStoreTypeKey: type])
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
