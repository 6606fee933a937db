public import Foundation
import ObjectRows

extension NSPersistentStoreCoordinator {
  /// What a store says about itself, its UUID and type included.
  public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces what a store says about itself.
  ///
  /// It is in the store's file after the next save at the latest.
  public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata ?? [:]
  }

  /// What a store that need not be open says about itself.
  public class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try throwingPublicErrors {
      try StoreDrivers.driver(ofType: storeType).metadata(at: url, options: GivenOptions(options))
    }
  }

  /// What a store that need not be open says about itself.
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  /// Replaces what a store that is not open says about itself.
  public class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try throwingPublicErrors {
      try StoreDrivers.driver(ofType: storeType).setMetadata(metadata ?? [:], at: url, options: GivenOptions(options))
    }
  }

  /// Replaces what a store that is not open says about itself.
  public class func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }
}
