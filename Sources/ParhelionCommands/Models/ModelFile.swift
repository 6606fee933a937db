import Foundation
package import ManagedObjectModel
import ModelSource

/// A model in a file or folder, in any supported form: source or compiled, one version or many.
package struct ModelFile: Sendable {
  /// One version of the model.
  package struct Version: Sendable {
    package let name: String
    package let model: NSManagedObjectModel
  }

  package let path: String
  package let name: String
  package let versions: [Version]
  package let currentVersionName: String
  /// Whether the file can hold several versions.
  package let isVersioned: Bool
  package let warnings: [String]

  /// The version with a name, or the current one for nil.
  package func version(named wanted: String?) throws(CommandError) -> Version {
    let wanted = wanted ?? currentVersionName
    if let version = versions.first(where: { $0.name == wanted }) { return version }
    let names = versions.map(\.name)
    throw CommandError(
      "\(path) has no version \"\(wanted)\".\(Suggestion.text(for: wanted, among: names)) It has \(names.joined(separator: ", "))."
    )
  }
}

extension ModelFile {
  /// Reads a model, and reports its warnings.
  package static func read(_ path: String, console: any Console) throws(CommandError) -> ModelFile {
    let url = URL(fileURLWithPath: path)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw CommandError("There is no file \(path).")
    }
    let file = try read(url, path)
    for warning in file.warnings { console.report(warning) }
    return file
  }

  private static func read(_ url: URL, _ path: String) throws(CommandError) -> ModelFile {
    switch url.pathExtension {
    case "xcdatamodeld", "xcdatamodel": return try readSource(url, path)
    case "momd", "mom": return try readCompiled(url, path)
    default:
      if url.lastPathComponent == "contents" { return try readSource(url, path) }
      throw CommandError(
        "\(path) is not a data model. Name an .xcdatamodeld, .xcdatamodel, .momd or .mom.")
    }
  }

  private static func readSource(_ url: URL, _ path: String) throws(CommandError) -> ModelFile {
    do throws(ModelSourceError) {
      let bundle = try ModelBundle(contentsOf: url)
      return ModelFile(
        path: path, name: bundle.name,
        versions: bundle.versions.map { Version(name: $0.name, model: $0.model) },
        currentVersionName: bundle.currentVersionName, isVersioned: bundle.isVersioned,
        warnings: bundle.warnings.map(\.description))
    } catch {
      throw CommandError(
        "The model cannot be used.\n\(error.issues.map(\.description).joined(separator: "\n"))")
    }
  }
}
