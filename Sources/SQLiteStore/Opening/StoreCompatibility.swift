import Foundation
import ManagedObjectModel
import ObjectRows

/// The comparison of a store's entities with those of a schema.
struct StoreCompatibility {
  /// Entities that differ between the store and the model.
  private(set) var changed: [String] = []
  /// Entities that only the store has.
  private(set) var missingInModel: [String] = []
  /// Entities that only the model has.
  private(set) var missingInStore: [String] = []

  /// Compares version hashes.
  ///
  /// If all differing hashes are uncertain, compares the model that the store contains instead.
  init(
    _ metadata: StoreMetadata, schema: StoreSchema,
    storedModel: () throws(StoreError) -> NSManagedObjectModel?
  ) throws(StoreError) {
    let hashes = metadata.versionHashes ?? [:]
    let names = Set(schema.entities.map(\.name))
    missingInModel = hashes.keys.filter { !names.contains($0) }.sorted()
    missingInStore = schema.entities.map(\.name).filter { hashes[$0] == nil }.sorted()
    let differing = schema.entities.filter { entity in
      hashes[entity.name].map { $0 != entity.entity.versionHash } ?? false
    }
    changed = differing.map(\.name).sorted()
    guard !differing.isEmpty, missingInModel.isEmpty, missingInStore.isEmpty,
      differing.allSatisfy({ !$0.entity.isVersionHashCertain }), let model = schema.model,
      let stored = try storedModel()
    else { return }
    let changes = ModelDifference(from: stored, to: model).changes.filter(\.affectsHash)
    changed = changed.filter { name in changes.contains { $0.entity == name } }
  }

  var isCompatible: Bool { changed.isEmpty && missingInModel.isEmpty && missingInStore.isEmpty }

  /// The error for a store that must not be migrated.
  func refusal(of location: StoreLocation) -> StoreError {
    let parts = [
      ("changed", changed), ("only in the store", missingInModel),
      ("only in the model", missingInStore),
    ].filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))" }
    return StoreError(
      .incompatibleModel,
      "The store \(location.path) was written with another version of the model (\(parts.joined(separator: "; "))). Migrate it, or open it with the model that wrote it.",
      context: [
        "file": location.path, "changed": changed.joined(separator: ","),
        "onlyInStore": missingInModel.joined(separator: ","),
        "onlyInModel": missingInStore.joined(separator: ","),
      ])
  }
}
