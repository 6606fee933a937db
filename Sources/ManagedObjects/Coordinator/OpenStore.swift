import Foundation
package import ManagedObjectModel
package import ObjectRows
import PredicateLanguage
import Synchronization

/// A store of a coordinator, as contexts use it.
///
/// `NSPersistentStore` is its public counterpart. All members may be used on any thread, and throw
/// the errors that applications receive.
package final class OpenStore: Sendable {
  private struct Counterpart {
    weak var store: NSPersistentStore?
  }

  /// The store's number in its coordinator: the number of stores that were added before.
  package let number: UInt16
  package let rowStore: any RowStore
  /// The cached rows of the store.
  let cache: RowCache
  package let configurationName: String?
  package let dependencies: StackDependencies
  /// Whether the store persists an entity, by layout index.
  private let keepsLayouts: [Bool]
  private let readOnly: Atomic<Bool>
  /// Whether the store has all its rows in memory, so that none need caching.
  private let holdsRows: Bool
  /// The row store, if it calls a class of the program.
  let contextual: (any ContextualRowStore)?
  private let counterpart = LockedBox(Counterpart())
  private let guardedMonitor = LockedBox<RemoteChangeMonitor?>(nil)

  init(number: UInt16, rows: RowsOfStore, plan: StorePlan) {
    self.number = number
    rowStore = rows.rowStore
    configurationName = plan.configuration
    dependencies = plan.dependencies
    cache = RowCache(layouts: plan.layouts)
    let members = plan.model.entities(forConfigurationName: plan.configuration) ?? []
    let names = Set(members.compactMap(\.name))
    keepsLayouts = plan.layouts.layouts.map { $0.entity.name.map(names.contains) ?? false }
    readOnly = Atomic(rows.isReadOnly)
    holdsRows = rows.rowStore is any RowHolding
    contextual = rows.rowStore as? any ContextualRowStore
  }

  package var identity: StoreIdentity { rowStore.identity }

  /// Whether the store can be saved at another URL.
  var isMovable: Bool { contextual?.isMovable ?? false }

  package var isReadOnly: Bool {
    get { readOnly.load(ordering: .relaxed) }
    set { readOnly.store(newValue, ordering: .relaxed) }
  }

  /// Whether the store's configuration contains the entity.
  package func keeps(_ layout: RowLayout) -> Bool { keepsLayouts[layout.index] }

  /// The public counterpart, while the store is open.
  package var persistentStore: NSPersistentStore? {
    get { counterpart.withLock { $0.store } }
    set { counterpart.withLock { $0.store = newValue } }
  }

  /// The monitor of remote changes, if notifications of them are enabled.
  var monitor: RemoteChangeMonitor? {
    get { guardedMonitor.withLock { $0 } }
    set { guardedMonitor.withLock { $0 = newValue } }
  }

  // MARK: Rows

  /// The newest cached row for a key, with the page that holds it.
  package func cachedRow(for key: RowKey) -> (row: RowReference, page: RowPage)? {
    guard holdsRows, let holding = rowStore as? any RowHolding else { return cache.row(for: key) }
    return holding.heldRow(for: key)
  }

  /// Caches a page of rows that were just saved, in their new versions.
  ///
  /// The page is full, and is shared only after this call.
  package func cacheSaved(_ page: RowPage) {
    guard !holdsRows else { return }
    page.seconds = dependencies.now().timeIntervalSinceReferenceDate
    page.storeIdentity = identity
    cache.register(page)
  }

  /// Whether the rows of a page are not older than the given age in seconds.
  ///
  /// A negative age allows any.
  ///
  /// Rows of an in-memory store are never old.
  package func isFresh(_ page: RowPage, maximumAge: Double) -> Bool {
    if maximumAge < 0 || holdsRows { return true }
    return dependencies.now().timeIntervalSinceReferenceDate - page.seconds <= maximumAge
  }

  /// Removes a row from the cache, as after an external change.
  package func forgetCachedRow(_ key: Int64, rootIndex: Int) {
    cache.forget(key, rootIndex: rootIndex)
  }

  /// Removes all rows from the cache, as after unknown external changes.
  package func forgetCachedRows() { cache.removeAll() }

  /// Fetches rows and caches them.
  ///
  /// Rows read in a separate generation are not cached, because they may be old.
  package func fetchRows(
    _ fetch: RowFetch, at generation: QueryGeneration? = nil,
    for context: NSManagedObjectContext? = nil
  ) throws -> FetchedRows {
    let moment = momentOfCache
    let store = try store(at: generation, for: context)
    let found = try withEvaluationDependencies { try store.fetchRows(fetch) }
    record(found.pages, of: store, readAt: moment)
    return found
  }

  package func fetchKeys(
    _ fetch: RowFetch, at generation: QueryGeneration? = nil,
    for context: NSManagedObjectContext? = nil
  ) throws -> ContiguousArray<RowKey> {
    try withEvaluationDependencies {
      try store(at: generation, for: context).fetchKeys(fetch)
    }
  }

  package func count(
    _ fetch: RowFetch, at generation: QueryGeneration? = nil,
    for context: NSManagedObjectContext? = nil
  ) throws -> Int {
    try withEvaluationDependencies { try store(at: generation, for: context).count(fetch) }
  }

  package func fetchDictionaries(
    _ fetch: RowFetch, at generation: QueryGeneration? = nil,
    for context: NSManagedObjectContext? = nil
  ) throws -> [[String: Any]] {
    try withEvaluationDependencies {
      try store(at: generation, for: context).fetchDictionaries(fetch)
    }
  }

  /// Reads the rows with these keys from the store and caches them, regardless of the cache.
  package func rows(
    withKeys keys: [Int64], layout: RowLayout, at generation: QueryGeneration? = nil,
    for context: NSManagedObjectContext? = nil
  ) throws -> FetchedRows {
    let moment = momentOfCache
    let store = try store(at: generation, for: context)
    let found = try throwingPublicErrors { try store.rows(withKeys: keys, layout: layout) }
    record(found.pages, of: store, readAt: moment)
    return found
  }

  package func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool,
    at generation: QueryGeneration? = nil, for context: NSManagedObjectContext? = nil
  ) throws -> RelatedRows {
    let moment = momentOfCache
    let store = try store(at: generation, for: context)
    let found = try throwingPublicErrors {
      try store.members(
        of: relationship, owners: owners, layout: layout, includingRows: includingRows)
    }
    if let pages = found.rows?.pages { record(pages, of: store, readAt: moment) }
    return found
  }

  /// The store, or a generation's snapshot of it, as a context sees it.
  private func store(
    at generation: QueryGeneration?, for context: NSManagedObjectContext?
  ) throws -> any RowStore {
    if let contextual, let context { return contextual.bound(to: context) }
    return try generation?.rowStore(of: self) ?? rowStore
  }

  /// The rows as a context sees them.
  ///
  /// A store of the program's class needs the context.
  func rows(for context: NSManagedObjectContext?) throws -> any RowStore {
    try store(at: nil, for: context)
  }

  /// Calls a closure with the current rows, which later saves do not change if the store has
  /// snapshots.
  func withSnapshot<Result>(_ body: (any RowStore) throws -> Result) throws -> Result {
    try throwingPublicErrors {
      guard let snapshot = try rowStore.snapshot() else { return try body(rowStore) }
      // A snapshot that cannot be closed is abandoned with its connection.
      defer { try? snapshot.close() }
      return try body(snapshot)
    }
  }

  /// The number of saves so far, which a read takes before it begins.
  private var momentOfCache: Int { holdsRows ? 0 : cache.moment }

  /// Caches pages that were read, if they match the store's current contents.
  private func record(_ pages: [RowPage], of store: any RowStore, readAt moment: Int) {
    guard !holdsRows, !pages.isEmpty else { return }
    let seconds = dependencies.now().timeIntervalSinceReferenceDate
    let identity = identity
    for page in pages {
      page.seconds = seconds
      page.storeIdentity = identity
    }
    // Stores of the program's classes have no snapshots.
    if store === rowStore || contextual != nil { cache.register(pages, readAt: moment) }
  }

  package func reserveKeys(
    _ counts: [(layout: RowLayout, count: Int)], forSave: Bool
  ) throws -> [ContiguousArray<Int64>] {
    try throwingPublicErrors { try rowStore.reserveKeys(counts, forSave: forSave) }
  }

  /// Reserves one range of keys for rows of a layout.
  func reserveRange(of count: Int, _ layout: RowLayout) throws -> Range<Int64> {
    try throwingPublicErrors { try rowStore.reserveRanges([(layout, count)], forSave: true)[0] }
  }

  /// The permanent keys that a store of the program's class gives to new objects; nil for any other
  /// store.
  func permanentKeys(for objects: ContiguousArray<NSManagedObject>) throws
    -> ContiguousArray<Int64>?
  {
    guard let contextual else { return nil }
    return try throwingPublicErrors { try contextual.permanentKeys(for: objects) }
  }

  /// The key of the row with a name in a URI; nil if no row can have it.
  func key(named name: String, layout: RowLayout) -> Int64? {
    if let contextual { return contextual.key(named: name, layout: layout) }
    return Int64(name).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Writes changes.
  ///
  /// The cache forgets the written and deleted rows. The caller caches the pages with the new
  /// versions.
  package func save(_ changes: StoreChanges, for context: NSManagedObjectContext? = nil) throws
    -> StoreSaveOutcome
  {
    try withEvaluationDependencies {
      try requireWritable()
      let store = try store(at: nil, for: context)
      let outcome = try observed {
        let outcome = try store.save(changes)
        guard case .saved(let receipt) = outcome else { return (outcome, false) }
        // A save that changed no row has no transaction, and is not counted as one.
        return (outcome, receipt.transactionNumber != nil || monitor?.countsTransactions != true)
      }
      if case .saved(let receipt) = outcome, !holdsRows { cache.outdate(changes, receipt) }
      return outcome
    }
  }

  /// Finds the conflicts of changes, and writes nothing.
  ///
  /// - Throws: The errors with which the save would fail, as far as they are known in advance.
  package func conflicts(
    of changes: StoreChanges, for context: NSManagedObjectContext? = nil
  ) throws -> [StoreConflict] {
    try withEvaluationDependencies {
      try requireWritable()
      return try store(at: nil, for: context).conflicts(of: changes)
    }
  }

  /// Executes a batch request, or throws an error if the store does not support batch requests.
  ///
  /// The cache forgets the rows whose values are stale.
  func executeBatch(_ body: (any BatchStore) throws -> BatchReceipt) throws -> BatchReceipt {
    let receipt = try withEvaluationDependencies {
      try requireWritable()
      guard let store = rowStore as? any BatchStore else {
        throw StoreError(.unsupportedRequest, "The store \(identity.uuid) has no batch requests.")
      }
      return try observed {
        let receipt = try body(store)
        return (receipt, receipt.hasChanges)
      }
    }
    if receipt.hasChanges { cache.outdate(receipt.stale) }
    return receipt
  }

  /// Fails if the store is read-only.
  func requireWritable() throws(StoreError) {
    guard isReadOnly else { return }
    throw StoreError(
      .readOnly,
      "The store \(identity.uuid) is read-only. Open it without NSReadOnlyPersistentStoreOption, "
        + "or make its file writable. If it has a history, enable NSPersistentHistoryTrackingKey.")
  }

  /// Informs the store's monitor that this process saves.
  ///
  /// - Parameter save: Returns the outcome, and whether a change was committed.
  private func observed<Outcome>(_ save: () throws -> (outcome: Outcome, isCommitted: Bool)) throws
    -> Outcome
  {
    guard let monitor else { return try save().outcome }
    monitor.beginSave()
    var isCommitted = false
    defer { monitor.endSave(isCommitted: isCommitted) }
    let outcome: Outcome
    (outcome, isCommitted) = try save()
    return outcome
  }

  // MARK: Metadata

  /// The metadata, including the UUID and type.
  func metadata(type: String) throws -> [String: Any] {
    var metadata = try throwingPublicErrors { try rowStore.metadata() }
    metadata[NSStoreUUIDKey] = identity.uuid
    metadata[NSStoreTypeKey] = type
    return metadata
  }

  /// Replaces the metadata.
  ///
  /// If the metadata contains a UUID, it becomes the UUID of the store.
  func setMetadata(_ metadata: [String: Any]) throws {
    var metadata = metadata
    metadata[NSStoreTypeKey] = nil
    let former = identity.uuid
    if let uuid = metadata.removeValue(forKey: NSStoreUUIDKey) as? String { identity.uuid = uuid }
    do {
      // The store writes the UUID of its identity.
      try throwingPublicErrors { [metadata] in try rowStore.setMetadata(metadata) }
    } catch {
      identity.uuid = former
      throw error
    }
  }

  /// Supplies `now()` and random numbers of predicates and derived attributes from the
  /// dependencies.
  private func withEvaluationDependencies<Result>(_ body: () throws -> Result) throws -> Result {
    try throwingPublicErrors {
      try dependencies.evaluationDependencies.runAsCurrent(body)
    }
  }
}
