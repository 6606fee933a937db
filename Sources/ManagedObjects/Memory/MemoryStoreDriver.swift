import Foundation
import ObjectRows

/// The driver for in-memory stores.
///
/// Each store is private to the coordinator that adds it.
struct MemoryStoreDriver: StoreDriver {
  let type = NSInMemoryStoreType

  func isPrivate(_ url: URL?) -> Bool { true }

  func open(_ plan: StorePlan) throws -> RowsOfStore {
    let store = try MemoryRowStore(
      model: plan.model, configuration: plan.configuration,
      identity: StoreIdentity(uuid: plan.dependencies.makeUUID().uuidString))
    return RowsOfStore(rowStore: store, isReadOnly: plan.options.isReadOnly)
  }

  func metadata(at address: StoreAddress) throws -> [String: Any] { throw nothing(at: address.url) }

  func setMetadata(_ metadata: [String: Any], at address: StoreAddress) throws {
    throw nothing(at: address.url)
  }

  /// Does nothing, because the contents belong to coordinators.
  func destroy(at address: StoreAddress) {}

  func replace(at address: StoreAddress, withStoreAt source: StoreAddress) throws {
    throw nothing(at: source.url)
  }

  private func nothing(at url: URL) -> StoreError {
    StoreError(
      .unsupportedOperation,
      "An in-memory store exists only for the coordinator that added it: there is none at \(url.absoluteString).",
      context: ["url": url.absoluteString])
  }
}
