import Foundation
import ManagedObjectModel
import ObjectRows

/// The steps of a staged migration of one store, decided without effects.
struct StagedMigrationPlan {
  let versions: StagedVersions
  let steps: [StagedVersions.Step]

  /// Plans the migration of a store.
  ///
  /// - Parameters:
  ///   - store: The checksum of the store's version, or nil if its metadata has none.
  ///   - isStore: Whether the store has the version with an index. It is called only if no version
  ///     has the store's checksum, as when this covers only a configuration.
  ///   - destination: The checksum of the coordinator's model.
  init(
    _ versions: StagedVersions, store: String?, destination: String, at path: String,
    isStore: (Int) throws -> Bool
  ) throws {
    guard let end = versions.index(of: destination) else {
      throw Self.error(
        .modelReferenceNotFound, path,
        """
        Cannot use staged migration with an unknown coordinator model version: no stage \
        contains the checksum \(destination) of the coordinator's model. Add it to the last \
        stage.
        """
      )
    }
    guard let store else {
      throw Self.error(
        .stagedMigrationFrameworkMismatch, path,
        "Cannot use staged migration: the store's metadata has no version hashes.")
    }
    var start = versions.index(of: store)
    if start == nil { start = try versions.checksums.indices.first(where: isStore) }
    guard let start else {
      throw Self.error(
        .modelReferenceNotFound, path,
        """
        Cannot use staged migration with an unknown model version: no stage contains the \
        checksum \(store) of the store. Add a stage for every version that was ever shipped.
        """
      )
    }
    guard start <= end else {
      throw Self.error(
        .stagedMigrationBackward, path,
        """
        The store cannot be migrated backwards, from the version \(store) to the earlier \
        version \(destination). Open it with the newer model.
        """
      )
    }
    self.versions = versions
    steps = versions.steps(from: start, to: end)
  }

  private static func error(_ code: StoreError.Code, _ path: String, _ message: String)
    -> StoreError
  {
    StoreError(code, "\(message) The store is \(path).", context: ["file": path])
  }
}

extension StoreError.Code {
  /// A model version was not found.
  static let modelReferenceNotFound = Self("modelReferenceNotFound", cocoaCode: 134504)
  /// A store's version information is not sufficient for a staged migration.
  static let stagedMigrationFrameworkMismatch = Self(
    "stagedMigrationFrameworkMismatch", cocoaCode: 134505)
  /// A staged migration would lead to an earlier version.
  static let stagedMigrationBackward = Self("stagedMigrationBackward", cocoaCode: 134506)
  /// A staged migration failed.
  static let stagedMigration = Self("stagedMigration", cocoaCode: 134110)
}
