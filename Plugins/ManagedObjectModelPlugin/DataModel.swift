import Foundation
import PackagePlugin

/// A data model, or a mapping model, in a target's folder.
struct DataModel {
  let url: URL
  /// The files that the model is read from.
  let files: [URL]

  var name: String { url.deletingPathExtension().lastPathComponent }

  /// The name of the compiled model: a folder for a versioned model, a single file for others.
  var compiledName: String { url.pathExtension == "xcdatamodeld" ? "\(name).momd" : "\(name).mom" }

  /// Returns the models in a folder, sorted by name.
  static func all(in folder: URL) throws -> [DataModel] {
    try found(in: folder, ["xcdatamodeld", "xcdatamodel"])
  }

  /// Returns the mapping models in a folder, sorted by name.
  static func mappings(in folder: URL) throws -> [DataModel] {
    try found(in: folder, ["xcmappingmodel"])
  }

  private static func found(in folder: URL, _ extensions: Set<String>) throws -> [DataModel] {
    guard
      let contents = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    else { return [] }
    var models: [DataModel] = []
    while let url = contents.nextObject() as? URL {
      guard extensions.contains(url.pathExtension) else { continue }
      contents.skipDescendants()
      models.append(DataModel(url: url, files: try files(of: url)))
    }
    models.sort { ($0.name, $0.url.path) < ($1.name, $1.url.path) }
    for (one, next) in zip(models, models.dropFirst()) where one.name == next.name {
      Diagnostics.error(
        "\(one.url.path) and \(next.url.path) have the same name. "
          + "Rename one: a model is found by its name.")
    }
    return models
  }

  /// Returns the contents of the versions or of the mapping, and the file that names the current
  /// version.
  private static func files(of model: URL) throws -> [URL] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: model.path)
    let names: Set<String> = ["contents", "elements", ".xccurrentversion", "xcmapping.xml"]
    return paths.sorted().map { model.appending(path: $0) }.filter {
      names.contains($0.lastPathComponent)
    }
  }
}
