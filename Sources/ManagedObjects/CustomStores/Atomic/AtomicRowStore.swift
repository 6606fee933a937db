import ManagedObjectModel
import ObjectRows

/// The rows of an atomic store, which are in memory, so that fetches do not call the store's class.
///
/// ```
/// context ──RowFetch──▶ MemoryRowStore ◀──rows── cache nodes ◀──load()── the program's class
///         ──changes───▶ cache nodes, then save() of the class, then MemoryRowStore
/// ```
final class AtomicRowStore: ContextualRowStore, RowHolding {
  let identity: StoreIdentity
  private let connection: AtomicConnection
  /// The context that saves; nil for reads without a context.
  private let context: NSManagedObjectContext?

  private var rows: MemoryRowStore { connection.rows }
  var layouts: ModelLayouts { rows.layouts }

  convenience init(_ store: NSAtomicStore, _ plan: StorePlan) throws {
    let rows = try MemoryRowStore(
      model: plan.model, configuration: plan.configuration, identity: store.references.identity,
      kind: "A store of the type \(store.type)")
    let connection = AtomicConnection(store, rows: rows, dependencies: plan.dependencies)
    try connection.takeAddedNodes()
    self.init(connection, nil)
  }

  private init(_ connection: AtomicConnection, _ context: NSManagedObjectContext?) {
    self.connection = connection
    self.context = context
    identity = connection.rows.identity
  }

  // MARK: Contexts

  var fetchesFaults: Bool { false }

  var isMovable: Bool { true }

  func bound(to context: NSManagedObjectContext) -> any RowStore {
    AtomicRowStore(connection, context)
  }

  func permanentKeys(for objects: ContiguousArray<NSManagedObject>) throws
    -> ContiguousArray<Int64>
  {
    try connection.withStore { store in
      let keys = objects.map { object in
        let objectID = store.objectID(
          for: object.entity, withReferenceObject: store.newReferenceObject(for: object))
        return RowKey(key: objectID.key, layoutIndex: Int32(objectID.layout.index))
      }
      let method = "\(type(of: store)).newReferenceObject(for:)"
      try NewKeys(keys, of: objects, in: identity).check(method)
      if let taken = keys.first(where: { rows.heldRow(for: $0) != nil }) {
        throw StoreError(
          .unfitValue,
          "\(method) returned the reference of another "
            + "\(layouts[taken.layoutIndex].entity.name ?? "object"). References are unique."
        )
      }
      rows.recordKeys(keys)
      return ContiguousArray(keys.map(\.key))
    }
  }

  func key(named name: String, layout: RowLayout) -> Int64? {
    (try? connection.store())?.referenceTable.key(named: name, layout)
  }

  // MARK: Metadata

  func metadata() throws -> [String: Any] { try connection.store().metadataForRows }

  func setMetadata(_ metadata: [String: Any]) throws {
    try connection.store().setMetadataForRows(metadata)
  }

  // MARK: Reading

  func heldRow(for key: RowKey) -> (row: RowReference, page: RowPage)? {
    try? connection.takeAddedNodes()
    return rows.heldRow(for: key)
  }

  func fetchRows(_ fetch: RowFetch) throws -> FetchedRows { try current().fetchRows(fetch) }

  func fetchKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey> {
    try current().fetchKeys(fetch)
  }

  func count(_ fetch: RowFetch) throws -> Int { try current().count(fetch) }

  func fetchDictionaries(_ fetch: RowFetch) throws -> [[String: Any]] {
    try current().fetchDictionaries(fetch)
  }

  func rows(withKeys keys: [Int64], layout: RowLayout) throws -> FetchedRows {
    try current().rows(withKeys: keys, layout: layout)
  }

  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool
  ) throws -> RelatedRows {
    try current().members(
      of: relationship, owners: owners, layout: layout, includingRows: includingRows)
  }

  /// The rows, including those of nodes that were just added.
  private func current() throws -> MemoryRowStore {
    _ = try connection.store()
    try connection.takeAddedNodes()
    return rows
  }

  // MARK: Saving

  func reserveRanges(_ counts: [(layout: RowLayout, count: Int)], forSave: Bool) throws
    -> [Range<Int64>]
  {
    throw Self.needsContext
  }

  func conflicts(of changes: StoreChanges) throws -> [StoreConflict] {
    try current().conflicts(of: changes)
  }

  func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    guard let context else { throw Self.needsContext }
    return try connection.save(changes) { store in
      var save = AtomicSave(
        store: store, objects: SavedObjectSets(changes, identity, in: context))
      do {
        try save.run()
      } catch {
        save.revert()
        throw error
      }
    }
  }

  func close() { connection.close() }

  private static var needsContext: StoreError {
    StoreError(
      .unsupportedOperation,
      "An atomic store assigns references to objects, and is saved by a context only.")
  }
}
