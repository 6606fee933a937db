public import Foundation
import ObjectRows

extension NSPersistentStoreCoordinator {
  func destroyStore(at url: URL, _ storeType: String, _ options: [AnyHashable: Any]?) throws {
    try throwingPublicErrors {
      let driver = try StoreDrivers.driver(ofType: storeType)
      if let store = persistentStore(for: url) { try remove(store) }
      try changing.performAndWait { () throws in
        try driver.destroy(at: StoreAddress(url, options, dependencies))
      }
    }
  }

  /// Empties a store and removes its accompanying files.
  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }

  func replaceStore(
    at destinationURL: URL, _ destinationOptions: [AnyHashable: Any]?, withStoreAt sourceURL: URL,
    _ sourceOptions: [AnyHashable: Any]?, _ storeType: String
  ) throws {
    try throwingPublicErrors {
      let driver = try StoreDrivers.driver(ofType: storeType)
      if let store = persistentStore(for: destinationURL) { try remove(store) }
      try changing.performAndWait { () throws in
        try driver.replace(
          at: StoreAddress(destinationURL, destinationOptions, dependencies),
          withStoreAt: StoreAddress(sourceURL, sourceOptions, dependencies))
      }
    }
  }

  /// Overwrites one store with the contents of another.
  public func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions,
      withPersistentStoreFrom: sourceURL,
      sourceOptions: sourceOptions, ofType: type.rawValue)
  }
}
