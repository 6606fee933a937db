import Foundation
import ManagedObjectModel

/// Finds versions of models for references.
enum ModelVersions {
  /// The versions of a compiled model: one for a `.mom` file, all for a `.momd` folder.
  static func versions(at url: URL) throws -> [NSManagedObjectModel] {
    guard url.pathExtension == "momd" else { return [try CompiledModel.read(contentsOf: url)] }
    let bundle = try CompiledModel.versions(ofBundleAt: url)
    return try bundle.versionNames.map { try bundle.model(ofVersion: $0) }
  }

  /// All versions of the models in a bundle; those of the program for nil.
  static func all(in bundle: Bundle?) throws -> [NSManagedObjectModel] {
    try AvailableModels(bundles: bundle.map { [$0] }).allVersions()
  }

  /// The versions with a name, and all versions of the models with that name.
  static func versions(named name: String, in bundle: Bundle?) throws -> [NSManagedObjectModel] {
    try AvailableModels(bundles: bundle.map { [$0] }).versions(named: name)
  }
}
