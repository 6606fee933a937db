package import Foundation
package import ManagedObjectModel

/// An observer of a coordinator's stores, such as mirroring.
package protocol StoreObserver: AnyObject, Sendable {
  /// The options to open a store with, in place of the given ones.
  ///
  /// - Throws: The reason why the store cannot be opened with these options.
  func options(for request: StoreOpeningRequest) throws -> [AnyHashable: Any]?
  /// Called after a store was opened and before it is used.
  ///
  /// An error closes it again.
  func didOpen(_ store: OpenStore, _ request: StoreOpeningRequest) throws
  /// Called before an opened store is closed again because its preparation failed.
  func willClose(_ open: OpenStore)
  /// Called when a store can be used.
  func didAdd(_ store: NSPersistentStore, _ open: OpenStore)
  /// Whether a copy of the store would lose the observer's data, unless the file itself is copied.
  func keepsFile(of store: NSPersistentStore, copiedAs request: StoreOpeningRequest) -> Bool
  /// Called before a store is closed.
  func willRemove(_ store: NSPersistentStore, _ open: OpenStore)
}

/// A request to open a store.
package struct StoreOpeningRequest {
  package let type: String
  package let url: URL?
  package let configuration: String?
  package let options: [AnyHashable: Any]?
  package let model: NSManagedObjectModel
}
