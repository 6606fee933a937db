public import Foundation
import ObjectRows

extension NSPersistentStoreCoordinator {
  /// The store at a place, or nil where the coordinator has none there.
  public func persistentStore(for URL: URL) -> NSPersistentStore? {
    withTable { $0.persistentStore(at: URL) }
  }

  /// Where a store is.
  public func url(for store: NSPersistentStore) -> URL {
    guard let url = store.url else {
      preconditionFailure("\(store) has no place. Only stores that were added to a coordinator have one.")
    }
    return url
  }

  /// Says that a store is at another place from now on.
  ///
  /// Only a store in memory can move in this way. Returns false for any other.
  public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    guard store.type == NSInMemoryStoreType, store.open != nil else { return false }
    store.url = url
    return true
  }
}
