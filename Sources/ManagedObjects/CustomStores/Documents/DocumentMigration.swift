import Foundation
import ManagedObjectModel
import ObjectRows

/// A lightweight migration of a document in memory.
///
/// It follows the rules of the SQLite store: renaming identifiers, default values for new
/// attributes, and no objects of removed entities.
struct DocumentMigration {
  let plan: StorePlan
  let url: URL

  /// Migrates a document that another version of the model wrote, and returns whether it did.
  ///
  /// - Throws: An error if the document must not or cannot be migrated.
  func run(on document: inout StoreDocument) throws(StoreError) -> Bool {
    let check = ModelCheck(plan)
    guard !check.isCompatible(document.metadata) else { return false }
    guard plan.options.migratesAutomatically else {
      try check.check(document.metadata)
      return false
    }
    let source = try sourceModel(of: document.metadata)
    try requireInference(from: source)
    let missing: MissingValues?
    do throws(DocumentError) {
      missing = try DocumentRenaming(from: source, to: plan.model).run(on: &document)
    } catch {
      throw StoreError(
        .migration, "The store \(url.path) cannot be migrated. \(error.problem) \(error.remedy)",
        context: ["file": url.path])
    }
    if let missing {
      throw StoreError(
        .migration, missing.message(store: url.path),
        context: missing.context.merging(["file": url.path]) { own, _ in own })
    }
    document.metadata.merge(MemoryRowStore.versionMetadata(of: plan.model, entities)) { $1 }
    return true
  }

  private var entities: [NSEntityDescription] {
    plan.model.entities(forConfigurationName: plan.configuration) ?? []
  }

  private func sourceModel(of metadata: [String: Any]) throws(StoreError) -> NSManagedObjectModel {
    let model = SourceModels.model(
      of: metadata, configuration: plan.configuration, plan.dependencies)
    if let model { return model }
    throw StoreError(
      .migrationMissingSourceModel,
      "The store \(url.path) has to be migrated, and the program does not contain the "
        + "version of the model that wrote it. Keep all versions in the model's bundle.",
      context: ["file": url.path])
  }

  private func requireInference(from source: NSManagedObjectModel) throws(StoreError) {
    guard plan.options.infersMapping else {
      throw StoreError(
        .migrationMissingMappingModel,
        "The store \(url.path) has to be migrated, and the options do not let a mapping be "
          + "inferred. Binary and XML stores are migrated in this way only.",
        context: ["file": url.path])
    }
    let names = Set(entities.compactMap(\.name))
    guard let refusal = ModelDifference(from: source, to: plan.model).refusal(among: names) else {
      return
    }
    throw StoreError(
      .inferredMappingModel,
      "No mapping can be inferred for the store \(url.path). \(refusal.reasons)",
      context: refusal.context.merging(["file": url.path]) { own, _ in own })
  }
}
