import Foundation
import ObjectRows

/// Stores in memory: each is private to the coordinator that adds it.
struct MemoryStoreDriver: StoreDriver {
  let type = NSInMemoryStoreType

  func isPrivate(_ url: URL?) -> Bool { true }

  func open(_ opening: StoreOpening) throws -> any RowStore {
    try MemoryRowStore(
      model: opening.model, configuration: opening.configuration,
      identity: StoreIdentity(uuid: opening.surroundings.makeUUID().uuidString))
  }

  func metadata(at url: URL, options: StoreOptions) throws -> [String: Any] { throw nothing(at: url) }

  func setMetadata(_ metadata: [String: Any], at url: URL, options: StoreOptions) throws { throw nothing(at: url) }

  /// There is nothing but what coordinators have.
  func destroy(at url: URL, options: StoreOptions) {}

  func replace(at url: URL, options: StoreOptions, withStoreAt source: URL, sourceOptions: StoreOptions) throws {
    throw nothing(at: source)
  }

  private func nothing(at url: URL) -> StoreError {
    StoreError(
      .unsupportedOperation,
      "A store in memory exists for the coordinator that added it only: there is none to be found at \(url.absoluteString).",
      context: ["url": url.absoluteString])
  }
}
