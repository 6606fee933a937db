package import Foundation
import ManagedObjectModel

extension ModelBundle {
  /// Reads an `.xcdatamodeld`, or a bare `.xcdatamodel`.
  ///
  /// All versions are read, and one error reports the issues of all of them.
  ///
  /// - Parameter module: The module that the model is compiled into. Class names such as `.Car`
  ///   become names in it; without a module they remain unchanged.
  package init(contentsOf url: URL, module: String? = nil) throws(ModelSourceError) {
    let folder = url.lastPathComponent == "contents" ? url.deletingLastPathComponent() : url
    let reader = BundleReader(url: folder.standardizedFileURL, module: module)
    self = try reader.read()
  }
}

extension ModelBundle {
  /// Reads the text of one `contents` file, as a bundle of one version.
  package init(
    name: String, contents: [UInt8], path: String = "contents", module: String? = nil
  ) throws(ModelSourceError) {
    let file = SourceFile(path: path, bytes: contents, log: IssueLog())
    let reader = ModelReader(file: file, module: module)
    let model = reader.read()
    try file.log.throwIfFailed(file: path)
    // If there is no model, the log contains an error.
    let version = Version(name: name, model: model ?? NSManagedObjectModel(), source: reader.info)
    self.init(
      name: name, versions: [version], currentVersionName: name, isVersioned: false,
      warnings: file.log.warnings)
  }
}

/// Finds the versions of a bundle and reads them.
struct BundleReader {
  let url: URL
  let module: String?
  let log = IssueLog()

  init(url: URL, module: String?) {
    self.url = url
    self.module = module
  }

  func read() throws(ModelSourceError) -> ModelBundle {
    let folders = try versionFolders()
    let current = isVersioned ? currentVersionName(among: folders) : folders.first?.versionName
    let versions = folders.filter { !shouldSkip($0, current: current) }.compactMap(readVersion(in:))
    try log.throwIfFailed(file: url.path)
    guard let current else {
      throw fail(.currentVersion, "The bundle has no current version.", "Choose one.")
    }
    return ModelBundle(
      name: url.deletingPathExtension().lastPathComponent, versions: versions,
      currentVersionName: current,
      isVersioned: isVersioned, warnings: log.warnings)
  }

  private var isVersioned: Bool { url.pathExtension != "xcdatamodel" }

  /// The folders of the versions, ordered by name.
  private func versionFolders() throws(ModelSourceError) -> [URL] {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
      throw fail(.unreadable, "There is no such file.", "Check the path.")
    }
    let isFolder = attributes[.type] as? FileAttributeType != .typeRegular
    guard isFolder, ["xcdatamodel", "xcdatamodeld"].contains(url.pathExtension) else {
      throw fail(
        .notAModel, "This is not the source of a data model.",
        "Name a folder that ends in .xcdatamodeld or .xcdatamodel.")
    }
    guard isVersioned else { return [url] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let versions = names.filter { $0.hasSuffix(".xcdatamodel") }.sorted(by: NumericOrder.precedes)
    guard !versions.isEmpty else {
      throw fail(
        .notAModel, "The bundle contains no version.",
        "Put at least one .xcdatamodel folder into it.")
    }
    guard versions.count <= Limits.versions else {
      throw fail(
        .tooLarge, "The bundle contains more than \(Limits.versions) versions.", "Remove old ones.")
    }
    return versions.map { url.appendingPathComponent($0, isDirectory: true) }
  }

  /// Whether a version is skipped because it has only the binary form from before Xcode 4.
  ///
  /// Bundles with a long history still contain such versions. Only the current version is required.
  private func shouldSkip(_ folder: URL, current: String?) -> Bool {
    guard let current, folder.versionName != current, hasOnlyBinaryForm(folder) else {
      return false
    }
    record(
      .warning, .binarySource, folder,
      "The version was saved before Xcode 4, in a binary form that is not supported, and is ignored.",
      "To migrate stores of that time, open it in Xcode once; it offers to convert the file.")
    return true
  }

  private func hasOnlyBinaryForm(_ folder: URL) -> Bool {
    let files = FileManager.default
    return files.fileExists(atPath: folder.appendingPathComponent("elements").path)
      && !files.fileExists(atPath: folder.appendingPathComponent("contents").path)
  }

  private func readVersion(in folder: URL) -> ModelBundle.Version? {
    let contents = folder.appendingPathComponent("contents")
    guard let file = readFile(contents, orReport: { explainMissingContents(of: folder) }) else {
      return nil
    }
    let reader = ModelReader(file: file, module: module)
    guard let model = reader.read() else { return nil }
    return ModelBundle.Version(name: folder.versionName, model: model, source: reader.info)
  }

  private func explainMissingContents(of folder: URL) {
    if hasOnlyBinaryForm(folder) {
      record(
        .error, .binarySource, folder,
        "The model was saved before Xcode 4, in a binary form that is not supported.",
        "Open it in Xcode once; it offers to convert the file.")
    } else {
      record(
        .error, .notAModel, folder, "The version has no contents file.",
        "Restore it, or remove the folder.")
    }
  }
}

// MARK: - The current version

extension BundleReader {
  /// The version that `.xccurrentversion` names; without such a file the only version, or the one
  /// with the bundle's name.
  private func currentVersionName(among folders: [URL]) -> String? {
    let url = url.appendingPathComponent(".xccurrentversion")
    if FileManager.default.fileExists(atPath: url.path) {
      guard let file = readFile(url, orReport: {}), let root = file.readXML(documentType: .ignored)
      else { return nil }
      if let named = Self.currentVersionName(in: root) {
        return existing(named, among: folders, file: file)
      }
    }
    if let only = folders.first, folders.count == 1 { return only.versionName }
    let own = self.url.deletingPathExtension().lastPathComponent
    if folders.contains(where: { $0.versionName == own }) { return own }
    record(
      .error, .currentVersion, self.url,
      "The bundle has \(folders.count) versions and does not say which is current.",
      "Choose the current version in Xcode, or add a .xccurrentversion file that names it.")
    return nil
  }

  private func existing(_ named: String, among folders: [URL], file: SourceFile) -> String? {
    if let folder = folders.first(where: { $0.lastPathComponent == named }) {
      return folder.versionName
    }
    file.record(
      .error, .currentVersion, at: nil,
      "The current version is set to \"\(named)\", which is not in the bundle.",
      "Name one of \(folders.map(\.lastPathComponent).joined(separator: ", ")).")
    return nil
  }

  private static func currentVersionName(in plist: SourceElement) -> String? {
    let entries = plist.children(named: "dict").first?.children ?? []
    guard
      let key = entries.firstIndex(where: { $0.name == "key" && $0.text == "_XCCurrentVersionName" }
      )
    else {
      return nil
    }
    let value = entries.index(after: key)
    return value < entries.endIndex && entries[value].name == "string" ? entries[value].text : nil
  }
}

// MARK: - Files

extension BundleReader {
  private func readFile(_ url: URL, orReport explain: () -> Void) -> SourceFile? {
    guard let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int
    else {
      explain()
      return nil
    }
    guard size <= Limits.fileBytes else {
      record(
        .error, .tooLarge, url, "The file has more than \(Limits.fileBytes >> 20) MiB.",
        "Split the model.")
      return nil
    }
    guard let data = try? Data(contentsOf: url) else {
      record(
        .error, .unreadable, url, "The file cannot be read.",
        "Check that it is a file, and check its permissions.")
      return nil
    }
    return SourceFile(path: url.path, bytes: Array(data), log: log)
  }

  private func record(
    _ severity: ModelSourceIssue.Severity, _ code: ModelSourceError.Code, _ url: URL,
    _ problem: String,
    _ remedy: String
  ) {
    log.record(
      ModelSourceIssue(
        severity: severity, code: code, file: url.path, position: nil, element: nil, attribute: nil,
        problem: problem,
        remedy: remedy))
  }

  private func fail(_ code: ModelSourceError.Code, _ problem: String, _ remedy: String)
    -> ModelSourceError
  {
    record(.error, code, url, problem, remedy)
    return ModelSourceError(code: code, issues: log.issues)
  }
}

extension URL {
  /// The name of a version, from its folder.
  fileprivate var versionName: String { deletingPathExtension().lastPathComponent }
}
