import Foundation
import ManagedObjectModel

/// Finds the version of the program's models that wrote a store.
enum SourceModels {
  /// The versions in the program.
  static let versions: @Sendable () -> [NSManagedObjectModel] = {
    // If one model cannot be read, the list is empty.
    (try? AvailableModels(bundles: nil).allVersions()) ?? []
  }

  /// The version of a model that wrote a store with this metadata, or nil if there is none.
  static func model(
    of metadata: [String: Any], configuration: String?, _ dependencies: StackDependencies
  ) -> NSManagedObjectModel? {
    let versions = dependencies.modelVersions()
    return versions.first {
      $0.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }
      ?? (try? NSManagedObjectModel(merging: versions, forStoreMetadata: metadata))
  }
}
