import Foundation
import ManagedObjectModel
import ObjectRows

/// One type of stores: how they are opened, and what is done with those that are not open.
protocol StoreDriver: Sendable {
  /// The name of the type.
  var type: String { get }
  /// Whether several stores may have the same URL.
  func isPrivate(_ url: URL?) -> Bool

  func open(_ opening: StoreOpening) throws -> any RowStore
  /// The metadata of a store that need not be open, UUID and type included.
  func metadata(at url: URL, options: StoreOptions) throws -> [String: Any]
  func setMetadata(_ metadata: [String: Any], at url: URL, options: StoreOptions) throws
  func destroy(at url: URL, options: StoreOptions) throws
  func replace(at url: URL, options: StoreOptions, withStoreAt source: URL, sourceOptions: StoreOptions) throws
}

/// What a store is opened with.
struct StoreOpening {
  let url: URL?
  let model: NSManagedObjectModel
  let layouts: ModelLayouts
  let configuration: String?
  let options: StoreOptions
  let surroundings: Surroundings
}
