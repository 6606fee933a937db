package import Foundation

/// A `.momd` folder: `VersionInfo.plist`, and a `.mom` file for each version.
package struct CompiledModelBundle: Sendable {
  package let url: URL
  package let info: VersionInfo
  /// The names of the versions that have a `.mom` file, sorted.
  package let versionNames: [String]

  init(at url: URL) throws(ModelArchiveError) {
    self.url = url
    let infoURL = url.appendingPathComponent(VersionInfo.fileName)
    let data = try CompiledModel.contents(of: infoURL, maximumBytes: Limits.archiveBytes)
    do {
      info = try VersionInfo(data)
    } catch {
      var located = error
      located.file = infoURL.path
      throw located
    }
    versionNames = ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [])
      .filter { $0.hasSuffix(".mom") }.map { String($0.dropLast(4)) }.sorted()
  }

  /// The current version's model.
  package func currentModel() throws(ModelArchiveError) -> NSManagedObjectModel {
    try model(ofVersion: info.currentVersionName)
  }

  /// A version's model.
  package func model(ofVersion name: String) throws(ModelArchiveError) -> NSManagedObjectModel {
    guard versionNames.contains(name) else { throw missing(name) }
    return try CompiledModel.read(file: url.appendingPathComponent("\(name).mom"))
  }

  private func missing(_ name: String) -> ModelArchiveError {
    let optimized = url.appendingPathComponent("\(name).omo")
    if !name.contains("/"), FileManager.default.fileExists(atPath: optimized.path) {
      return ModelArchiveError(
        .optimizedOnly,
        "The version “\(name)” exists only in the private optimized form (.omo). Add its .mom file, which Apple's model compiler writes next to it, or compile the model again from its source.",
        file: url.path)
    }
    let others = versionNames.isEmpty ? "none" : versionNames.joined(separator: ", ")
    return ModelArchiveError(
      .unreadable,
      "There is no file of the version “\(name)”. The folder has these versions: \(others).",
      file: url.path)
  }

  static func write(
    _ versions: [(name: String, model: NSManagedObjectModel)], current: String, to url: URL
  ) throws {
    let names = Set(versions.map(\.name))
    guard names.count == versions.count, names.contains(current),
      names.allSatisfy({ !$0.isEmpty && !$0.contains("/") && !$0.hasPrefix(".") })
    else {
      throw ModelArchiveError(
        .contradiction,
        "The versions need different names without slashes, and “\(current)”, the current one, must be among them.",
        file: url.path)
    }
    // Encode everything before writing anything.
    let files = try versions.map { ("\($0.name).mom", try CompiledModel.write($0.model)) }
    let info = VersionInfo(
      currentVersionName: current,
      versionHashes: Dictionary(
        uniqueKeysWithValues: versions.map { ($0.name, $0.model.entityVersionHashesByName) }),
      versionChecksums: Dictionary(
        uniqueKeysWithValues: versions.map { ($0.name, $0.model.versionChecksum) }))
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, data) in files + [(VersionInfo.fileName, try info.encoded())] {
      try data.write(to: url.appendingPathComponent(name))
    }
  }
}
