package import Foundation
package import ManagedObjectModel

/// What takes part when a coordinator's stores are opened and closed, as mirroring does.
package protocol StoreObserver: AnyObject, Sendable {
  /// The options that a store is opened with in the place of those that were given.
  ///
  /// - Throws: Why a store cannot be opened so.
  func options(for wish: StoreOpeningRequest) throws -> [AnyHashable: Any]?
  /// A store was opened, and nobody has used it yet; an error closes it again.
  func didOpen(_ store: OpenStore, _ wish: StoreOpeningRequest) throws
  /// A store that was opened is closed before anybody has used it: something else that it needs has
  /// failed.
  func willClose(_ open: OpenStore)
  /// A store can be used.
  func didAdd(_ store: NSPersistentStore, _ open: OpenStore)
  /// Whether the copy of a store would lose what the attendant keeps in its file, unless the file
  /// itself is copied.
  func keepsFile(of store: NSPersistentStore, copiedAs wish: StoreOpeningRequest) -> Bool
  /// A store is about to be closed.
  func willRemove(_ store: NSPersistentStore, _ open: OpenStore)
}

/// A store that somebody wants to be opened.
package struct StoreOpeningRequest {
  package let type: String
  package let url: URL?
  package let configuration: String?
  package let options: [AnyHashable: Any]?
  package let model: NSManagedObjectModel
}
