import Foundation
import ManagedObjectModel
import ModelSource

extension ModelFile {
  /// Reads a `.momd` or a `.mom`.
  static func readCompiled(_ url: URL, _ path: String) throws(CommandError) -> ModelFile {
    do {
      return url.pathExtension == "momd" ? try readBundle(url, path) : try readSingle(url, path)
    } catch {
      throw CommandError("The compiled model cannot be used: \(error)")
    }
  }

  private static func readSingle(_ url: URL, _ path: String) throws(ModelArchiveError) -> ModelFile
  {
    let name = url.deletingPathExtension().lastPathComponent
    let version = Version(name: name, model: try CompiledModel.read(contentsOf: url))
    return ModelFile(
      path: path, name: name, versions: [version], currentVersionName: name, isVersioned: false,
      warnings: [])
  }

  private static func readBundle(_ url: URL, _ path: String) throws(ModelArchiveError) -> ModelFile
  {
    let bundle = try CompiledModel.versions(ofBundleAt: url)
    let names = bundle.versionNames.sorted(by: NumericOrder.precedes)
    var versions: [Version] = []
    for name in names {
      versions.append(Version(name: name, model: try bundle.model(ofVersion: name)))
    }
    return ModelFile(
      path: path, name: url.deletingPathExtension().lastPathComponent, versions: versions,
      currentVersionName: bundle.info.currentVersionName, isVersioned: true, warnings: [])
  }
}
