import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteStore

/// The driver for SQLite stores.
///
/// A store at `/dev/null` is in memory.
struct SQLiteStoreDriver: StoreDriver {
  let type = NSSQLiteStoreType

  func isPrivate(_ url: URL?) -> Bool { url.map { StoreLocation($0) == .memory } ?? false }

  func open(_ plan: StorePlan) throws -> RowsOfStore {
    guard let url = plan.url, url.isFileURL else {
      throw StoreError(
        .cannotOpen,
        "A SQLite store needs the URL of a file, not \(plan.url?.absoluteString ?? "nil"). For one in memory use /dev/null.",
        context: ["url": plan.url?.absoluteString ?? ""])
    }
    let options = StoreOptions(plan.options, plan.dependencies)
    var opening = StoreOpening(
      url: url, layouts: plan.layouts, configuration: plan.configuration, options: options)
    opening.findModel = {
      SourceModels.model(
        of: $0.dictionary, configuration: plan.configuration, plan.dependencies)
    }
    let opened = try opening.run()
    return RowsOfStore(rowStore: try SQLiteRowStore(opened), isReadOnly: opened.isReadOnly)
  }

  func metadata(at address: StoreAddress) throws -> [String: Any] {
    let found = try StoreFiles.metadata(at: address.url, options: StoreOptions(address))
    var metadata = found.dictionary
    metadata[NSStoreUUIDKey] = found.uuid
    metadata[NSStoreTypeKey] = type
    return metadata
  }

  func setMetadata(_ metadata: [String: Any], at address: StoreAddress) throws {
    try StoreFiles.setMetadata(metadata, at: address.url, options: StoreOptions(address))
  }

  func destroy(at address: StoreAddress) throws {
    try StoreFiles.destroy(at: address.url, options: StoreOptions(address))
  }

  func replace(at address: StoreAddress, withStoreAt source: StoreAddress) throws {
    try StoreFiles.replace(at: address.url, with: source.url, options: StoreOptions(address))
  }
}

extension StoreOptions {
  /// Converts an application's options.
  fileprivate init(_ given: GivenOptions, _ dependencies: StackDependencies) {
    self.init()
    makeUUID = dependencies.makeUUID
    files = dependencies.files
    isReadOnly = given.isReadOnly
    if let seconds = given.timeoutSeconds { timeout = .seconds(seconds) }
    pragmas = Dictionary(
      given.pragmas.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    analyzes = given.analyzes
    vacuums = given.vacuums
    tracksHistory = given.keepsHistory
    migratesAutomatically = given.migratesAutomatically
    infersMapping = given.infersMapping
    ignoresVersioning = given.ignoresVersioning
    maximumConnections = given.mostConnections
    destroysByForce = given.destroysByForce
  }

  fileprivate init(_ address: StoreAddress) { self.init(address.options, address.dependencies) }
}
