import Foundation
import ObjectRows

/// A type of stores: how to open them, and operations on stores that are not open.
protocol StoreDriver: Sendable {
  /// The name of the type.
  var type: String { get }
  /// Whether several stores may have the same URL.
  func isPrivate(_ url: URL?) -> Bool

  func open(_ plan: StorePlan) throws -> RowsOfStore
  /// The metadata of a store that need not be open, including its UUID and type.
  func metadata(at address: StoreAddress) throws -> [String: Any]
  func setMetadata(_ metadata: [String: Any], at address: StoreAddress) throws
  func destroy(at address: StoreAddress) throws
  func replace(at address: StoreAddress, withStoreAt source: StoreAddress) throws
}

/// The location and options of a store that need not be open.
struct StoreAddress {
  let url: URL
  let options: GivenOptions
  let dependencies: StackDependencies

  init(_ url: URL, _ options: [AnyHashable: Any]?, _ dependencies: StackDependencies) {
    self.url = url
    self.options = GivenOptions(options)
    self.dependencies = dependencies
  }
}

/// A store that was opened.
struct RowsOfStore {
  let rowStore: any RowStore
  /// Whether the store is read-only, because of its options or for another reason.
  let isReadOnly: Bool
  /// The public counterpart, if the store's class created it.
  var persistentStore: NSPersistentStore?
}
