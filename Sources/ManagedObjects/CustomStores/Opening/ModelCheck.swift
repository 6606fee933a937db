import Foundation
import ManagedObjectModel
import ObjectRows

/// Compares the model that wrote a store with the coordinator's model.
struct ModelCheck {
  private let plan: StorePlan

  init(_ plan: StorePlan) { self.plan = plan }

  /// Whether a store with this metadata can be opened as it is.
  ///
  /// A store without version hashes was written by a class that records none.
  func isCompatible(_ metadata: [String: Any]) -> Bool {
    plan.options.ignoresVersioning || metadata[NSStoreModelVersionHashesKey] == nil
      || plan.model.isConfiguration(
        withName: plan.configuration, compatibleWithStoreMetadata: metadata)
  }

  /// - Throws: An error if another version of the model wrote the store.
  func check(_ metadata: [String: Any]) throws(StoreError) {
    guard !isCompatible(metadata) else { return }
    throw StoreError(
      .incompatibleModel,
      "The store \(place) was written with another version of the model "
        + "(\(difference(metadata))). Open it with the model that wrote it, and copy its objects.",
      context: ["file": plan.url?.path ?? ""])
  }

  private var place: String { plan.url.map { "at \($0.path)" } ?? "without a URL" }

  private func difference(_ metadata: [String: Any]) -> String {
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let entities = plan.model.entities(forConfigurationName: plan.configuration) ?? []
    let known = Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity.versionHash) } },
      uniquingKeysWith: { $1 })
    let parts = [
      ("changed", known.filter { name, hash in stored[name].map { $0 != hash } ?? false }.keys),
      ("only in the store", stored.filter { known[$0.key] == nil }.keys),
    ].map { ($0.0, $0.1.sorted()) }
    let missing = ("only in the model", known.keys.filter { stored[$0] == nil }.sorted())
    return (parts + [missing]).filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
  }
}
