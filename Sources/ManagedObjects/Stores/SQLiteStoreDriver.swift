import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore

/// Stores in SQLite's files, and in its memory where the file is `/dev/null`.
struct SQLiteStoreDriver: StoreDriver {
  var type: String { NSSQLiteStoreType }

  func isPrivate(_ url: URL?) -> Bool { url.map { StoreLocation($0) == .memory } ?? false }

  func open(_ plan: StorePlan) throws -> RowsOfStore {
    guard let url = plan.url else {
      throw StoreError(
        .cannotOpen,
        "An SQLite store needs the URL of a file. Use file:///dev/null for one in memory, or NSInMemoryStoreType.")
    }
    var opening = StoreOpening(
      url: url, layouts: plan.layouts, configuration: plan.configuration,
      options: options(plan.options, plan.surroundings))
    opening.findModel = { metadata in
      NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata.dictionary)
    }
    let opened = try opening.run()
    return RowsOfStore(rowStore: try SQLiteRowStore(opened), isReadOnly: opened.isReadOnly)
  }

  func metadata(at url: URL, options: GivenOptions) throws -> [String: Any] {
    let metadata = try StoreFiles.metadata(at: url, options: self.options(options, .current))
    var dictionary = metadata.dictionary
    dictionary[NSStoreTypeKey] = type
    dictionary[NSStoreUUIDKey] = metadata.uuid
    return dictionary
  }

  func setMetadata(_ metadata: [String: Any], at url: URL, options: GivenOptions) throws {
    try StoreFiles.setMetadata(metadata, at: url, options: self.options(options, .current))
  }

  func destroy(at url: URL, options: GivenOptions) throws {
    try StoreFiles.destroy(at: url, options: self.options(options, .current))
  }

  func replace(at url: URL, options: GivenOptions, withStoreAt source: URL, sourceOptions: GivenOptions) throws {
    try StoreFiles.replace(at: url, with: source, options: self.options(options, .current))
  }

  private func options(_ given: GivenOptions, _ surroundings: Surroundings) -> StoreOptions {
    var options = StoreOptions()
    options.isReadOnly = given.isReadOnly
    if let seconds = given.timeoutSeconds { options.timeout = .seconds(seconds) }
    options.pragmas = Dictionary(given.pragmas.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    options.analyzes = given.analyzes
    options.vacuums = given.vacuums
    options.tracksHistory = given.keepsHistory
    options.migratesAutomatically = given.migratesAutomatically
    options.infersMapping = given.infersMapping
    options.ignoresVersioning = given.ignoresVersioning
    options.makeUUID = surroundings.makeUUID
    return options
  }
}
