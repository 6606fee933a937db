public import Foundation
import ObjectRows

extension NSPersistentStoreCoordinator {
  static func readMetadata(
    _ storeType: String, at url: URL, _ options: [AnyHashable: Any]?
  ) throws -> [String: Any] {
    try throwingPublicErrors {
      try StoreDrivers.driver(ofType: storeType).metadata(at: StoreAddress(url, options, .current))
    }
  }

  /// Returns the metadata of a store, which need not be open.
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  static func writeMetadata(
    _ metadata: [String: Any]?, _ storeType: String, at url: URL, _ options: [AnyHashable: Any]?
  ) throws {
    try throwingPublicErrors {
      try StoreDrivers.driver(ofType: storeType).setMetadata(
        metadata ?? [:], at: StoreAddress(url, options, .current))
    }
  }

  /// Replaces the metadata of a store that is not open.
  public class func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }
}
