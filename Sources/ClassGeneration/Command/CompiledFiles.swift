import Foundation
import ManagedObjectModel
import ModelSource

/// The compiled forms of a model's source: the files of a bundle, and the text in generated code.
struct CompiledFiles {
  private let bundle: ModelBundle

  init(_ bundle: ModelBundle) {
    self.bundle = bundle
  }

  /// Returns the compiled current version as text for generated code.
  func packedCurrentVersion() throws -> String {
    try ModelRegistry.packed(CompiledModel.write(bundle.currentVersion.model))
  }

  /// Returns the files of a `.momd` folder, or the one file of a bare `.xcdatamodel`.
  func outputs(at path: String) throws -> [OutputFile] {
    guard bundle.isVersioned else {
      return [
        OutputFile(path: path, contents: try CompiledModel.write(bundle.currentVersion.model))
      ]
    }
    let versions = try bundle.versions.map { version in
      OutputFile(
        path: "\(path)/\(version.name).mom", contents: try CompiledModel.write(version.model))
    }
    return versions + [
      OutputFile(path: "\(path)/VersionInfo.plist", contents: try versionInfo().encoded())
    ]
  }

  private func versionInfo() -> VersionInfo {
    VersionInfo(
      currentVersionName: bundle.currentVersionName,
      versionHashes: Dictionary(
        uniqueKeysWithValues: bundle.versions.map { ($0.name, $0.model.entityVersionHashesByName) }),
      versionChecksums: Dictionary(
        uniqueKeysWithValues: bundle.versions.map { ($0.name, $0.model.versionChecksum) }))
  }

  /// Removes obsolete files from a `.momd` folder: versions that are no longer in the source.
  static func removeObsoleteFiles(at path: String, keeping outputs: [OutputFile]) throws {
    let kept = Set(outputs.map(\.path))
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    for name in names where name.hasSuffix(".mom") && !kept.contains("\(path)/\(name)") {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
  }
}
