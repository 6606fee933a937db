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
  func metadata(at url: URL, options: GivenOptions) throws -> [String: Any]
  func setMetadata(_ metadata: [String: Any], at url: URL, options: GivenOptions) throws
  func destroy(at url: URL, options: GivenOptions) throws
  func replace(at url: URL, options: GivenOptions, withStoreAt source: URL, sourceOptions: GivenOptions) throws
}

/// A store that was opened.
struct RowsOfStore {
  let rowStore: any RowStore
  /// Whether it can only be read: because the options say so, or for a reason of its own.
  let isReadOnly: Bool
}
