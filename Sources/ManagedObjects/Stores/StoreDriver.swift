import Foundation
import ObjectRows

/// One type of stores: how they are opened, and what is done with those that are not open.
protocol StoreDriver: Sendable {
  /// The name of the type.
  var type: String { get }
  /// Whether several stores may have the same URL.
  func isPrivate(_ url: URL?) -> Bool

  func open(_ plan: StorePlan) throws -> RowsOfStore
  /// The metadata of a store that need not be open, UUID and type included.
  func metadata(at address: StoreAddress) throws -> [String: Any]
  func setMetadata(_ metadata: [String: Any], at address: StoreAddress) throws
  func destroy(at address: StoreAddress) throws
  func replace(at address: StoreAddress, withStoreAt source: StoreAddress) throws
}

/// A store that need not be open, and how it is reached.
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
  /// Whether it can only be read: because the options say so, or for a reason of its own.
  let isReadOnly: Bool
}
