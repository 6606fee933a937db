import Foundation
import ManagedObjectModel
import ObjectRows
import Synchronization

/// The driver for store types with registered classes, and for the binary and XML stores.
struct CustomStoreDriver: StoreDriver {
  let type: String
  let storeClass: NSPersistentStore.Type

  func isPrivate(_ url: URL?) -> Bool { url.map { $0.isFileURL && $0.path == "/dev/null" } ?? true }

  func open(_ plan: StorePlan) throws -> RowsOfStore {
    let opening = _StoreOpening(plan, type: type)
    let store = StackDependencies.$current.withValue(plan.dependencies) {
      storeClass.init(_opening: opening)
    }
    try store.loadMetadata()
    try checkMetadata(of: store)
    switch store {
    case let store as NSIncrementalStore: return try open(store, plan)
    case let store as NSAtomicStore: return try open(store, plan)
    default:
      preconditionFailure("\(storeClass) is neither a class of atomic nor of incremental stores.")
    }
  }

  private func open(_ store: NSIncrementalStore, _ plan: StorePlan) throws -> RowsOfStore {
    NSIncrementalStore.wasOpened.store(true, ordering: .relaxed)
    try ModelCheck(plan).check(store.metadata ?? [:])
    _ = store.referenceTable
    let rows = IncrementalRowStore(store, plan.layouts)
    return RowsOfStore(rowStore: rows, isReadOnly: store.isReadOnly, persistentStore: store)
  }

  private func open(_ store: NSAtomicStore, _ plan: StorePlan) throws -> RowsOfStore {
    try store.prepare(plan)
    try store.load()
    try ModelCheck(plan).check(store.metadata ?? [:])
    _ = store.referenceTable
    let rows = try AtomicRowStore(store, plan)
    return RowsOfStore(rowStore: rows, isReadOnly: store.isReadOnly, persistentStore: store)
  }

  /// Completes the metadata that a class loaded.
  ///
  /// - Throws: An error if the metadata is that of another store type.
  private func checkMetadata(of store: NSPersistentStore) throws(StoreError) {
    var metadata: [String: Any] = store.metadata ?? [:]
    if let found = metadata[NSStoreTypeKey] as? String, found != type, found != store.type {
      let place = store.url.map { "at \($0.absoluteString)" } ?? "without a URL"
      throw StoreError(
        .typeMismatch,
        "The store \(place) has the type \(found), and "
          + "was added as \(type). Add it with its own type.",
        context: [NSStoreTypeKey: found])
    }
    guard metadata[NSStoreUUIDKey] == nil, let store = store as? NSIncrementalStore else { return }
    let place = store.url ?? URL(fileURLWithPath: "/dev/null")
    metadata[NSStoreUUIDKey] = "\(Swift.type(of: store).identifierForNewStore(at: place))"
    metadata[NSStoreTypeKey] = metadata[NSStoreTypeKey] ?? type
    store.metadata = metadata
  }

  // MARK: Stores that are not open

  func metadata(at address: StoreAddress) throws -> [String: Any] {
    try withDependencies(of: address) {
      try storeClass.metadataForPersistentStore(with: address.url)
    }
  }

  func setMetadata(_ metadata: [String: Any], at address: StoreAddress) throws {
    try withDependencies(of: address) {
      try storeClass.setMetadata(metadata, forPersistentStoreAt: address.url)
    }
  }

  /// Removes the file of an atomic store.
  func destroy(at address: StoreAddress) throws {
    try requireFile(address, "destroyed")
    let files = address.dependencies.files
    if files.itemExists(at: address.url) { try files.removeItem(at: address.url) }
  }

  func replace(at address: StoreAddress, withStoreAt source: StoreAddress) throws {
    try requireFile(address, "replaced")
    try requireFile(source, "copied")
    let files = address.dependencies.files
    guard files.itemExists(at: source.url) else {
      throw StoreError(
        .fileNotFound, "There is no store at \(source.url.path).",
        context: ["file": source.url.path])
    }
    let file = AtomicFile(url: address.url, dependencies: address.dependencies)
    try file.withLock { try file.write(files.contents(of: source.url)) }
  }

  private func requireFile(_ address: StoreAddress, _ done: String) throws(StoreError) {
    guard storeClass is NSAtomicStore.Type, address.url.isFileURL else {
      throw StoreError(
        .unsupportedOperation,
        "Stores of the type \(type) cannot be \(done) by a coordinator: only \(storeClass) "
          + "knows where its objects are.",
        context: [NSStoreTypeKey: type])
    }
  }

  private func withDependencies<Result>(
    of address: StoreAddress, _ body: () throws -> Result
  ) rethrows -> Result {
    try StackDependencies.$current.withValue(address.dependencies, operation: body)
  }
}

extension StoreError.Code {
  /// A store has another type than the one that it was added with.
  static let typeMismatch = Self("typeMismatch", cocoaCode: 134010)
}
