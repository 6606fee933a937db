import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The sections of a controller's results, kept in a file between launches.
///
/// The file is valid while the request, the files of the stores and the locale are the same.
struct ResultsCache {
  let configuration: ResultsConfiguration
  private let files: any FileSystem
  private let file: URL
  private let stores: [URL]

  /// Creates the cache, or nil if the results cannot be cached: they must come from files alone.
  ///
  /// - Parameter allowsChanges: Whether the context may have unsaved changes, as before a save.
  init?(
    _ name: String?, _ request: ResultsRequest, sectionNameKeyPath: String?,
    allowsChanges: Bool = false
  ) {
    let context = request.context
    guard let name, context.parent == nil, context.queryGenerationToken == nil,
      allowsChanges || context.changes.isEmpty,
      let configuration = ResultsConfiguration(request.plan, sectionNameKeyPath)
    else { return nil }
    let coordinator = context.persistentStoreCoordinator
    stores = request.plan.stores.compactMap {
      guard let store = coordinator?.openStore(number: $0)?.persistentStore else { return nil }
      return store.type == NSSQLiteStoreType ? store.url : nil
    }
    guard !stores.isEmpty, stores.count == request.plan.stores.count else { return nil }
    self.configuration = configuration
    files = context.dependencies.files
    file = Self.file(name, context.dependencies)
  }

  // MARK: Files

  private static func folder(_ dependencies: StackDependencies) -> URL {
    dependencies.files.cacheHome().appendingPathComponent(dependencies.bundleID, isDirectory: true)
      .appendingPathComponent("FetchedResults", isDirectory: true)
  }

  private static func file(_ name: String, _ dependencies: StackDependencies) -> URL {
    let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "cache"
    return folder(dependencies).appendingPathComponent("\(escaped).json")
  }

  /// Deletes the file with a name, or all files.
  static func delete(_ name: String?, _ dependencies: StackDependencies = .current) {
    let url = name.map { file($0, dependencies) } ?? folder(dependencies)
    guard dependencies.files.itemExists(at: url) else { return }
    try? dependencies.files.removeItem(at: url)
  }

  /// The present state of the stores' files, or nil if it cannot be read.
  func storeStates() -> [StoreFileState]? {
    let states = stores.compactMap { StoreFileState($0, files) }
    return states.count == stores.count ? states : nil
  }

  // MARK: Contents

  private func contents() -> CachedSections? {
    guard files.itemExists(at: file), let data = try? files.contents(of: file),
      let contents = try? JSONDecoder().decode(CachedSections.self, from: data),
      contents.version == CachedSections.currentVersion
    else { return nil }
    return contents
  }

  /// The configuration of the file, if there is a file.
  var storedConfiguration: ResultsConfiguration? { contents()?.configuration }

  /// The sections in the file, if they are valid.
  ///
  /// - Parameter count: The number of results.
  func sections(count: Int, _ states: [StoreFileState]) -> SectionTable? {
    guard let contents = contents(), contents.configuration == configuration,
      contents.stores == states, contents.locale == Locale.current.identifier
    else { return nil }
    return contents.table(count: count)
  }

  /// Writes the sections.
  ///
  /// If that fails, the sections are computed again at the next launch.
  func write(_ sections: SectionTable, _ states: [StoreFileState]) {
    let contents = CachedSections(
      configuration: configuration, stores: states, locale: Locale.current.identifier,
      names: sections.names, counts: sections.counts)
    guard let data = try? JSONEncoder().encode(contents) else { return }
    let folder = file.deletingLastPathComponent()
    if !files.itemExists(at: folder) { try? files.createDirectory(at: folder) }
    let fresh = file.appendingPathExtension("new")
    try? files.write(data, to: fresh)
    if files.itemExists(at: file) { try? files.removeItem(at: file) }
    try? files.moveItem(at: fresh, to: file)
  }
}

/// The contents of a cache file.
struct CachedSections: Codable {
  static let currentVersion = 2

  var version = currentVersion
  let configuration: ResultsConfiguration
  let stores: [StoreFileState]
  /// The locale of localized sort descriptors and comparisons.
  let locale: String
  let names: [String]
  let counts: [Int]

  /// The sections, or nil if they do not fit the number of results.
  func table(count: Int) -> SectionTable? {
    guard names.count == counts.count, counts.allSatisfy({ $0 >= 0 && $0 <= count }),
      counts.reduce(0, +) == count, Set(names).count == names.count
    else { return nil }
    return SectionTable(names: names, counts: counts)
  }
}
