import ManagedObjectModel
import ObjectRows

/// The stores of a coordinator as a source.
// Sendable: the context's queue uses the source, and other queues only detached ones, which do not
// change.
final class StoreSource: RowSource, @unchecked Sendable {
  let coordinator: NSPersistentStoreCoordinator
  let layouts: ModelLayouts
  /// The context whose objects are passed to closures in predicates.
  ///
  /// It owns this source and outlives it.
  private unowned let context: NSManagedObjectContext
  /// The query generation that reads are pinned to; nil for the stores' current contents.
  var generation: QueryGeneration?

  init(_ coordinator: NSPersistentStoreCoordinator, for context: NSManagedObjectContext) {
    self.coordinator = coordinator
    self.context = context
    layouts = coordinator.layouts
  }

  func stores(for layout: RowLayout, limitedTo stores: [AnyObject]?) -> [UInt16] {
    let numbers = storeNumbers(for: layout, limitedTo: stores)
    guard let generation else { return numbers }
    return numbers.filter(generation.includes)
  }

  private func storeNumbers(for layout: RowLayout, limitedTo stores: [AnyObject]?) -> [UInt16] {
    guard let stores else { return coordinator.storeNumbers(keeping: layout) }
    return coordinator.openStores(keeping: layout).filter { open in
      stores.contains { $0 === open.persistentStore }
    }
    .map(\.number)
  }

  func identity(ofStore number: UInt16) -> StoreIdentity? {
    coordinator.openStore(number: number)?.identity
  }

  func number(ofStore identity: StoreIdentity) -> UInt16? {
    let stores = coordinator.openStores
    return
      (stores.first { $0.identity === identity }
      ?? stores.first { $0.identity.uuid == identity.uuid })?.number
  }

  func fetchesFaults(in stores: [UInt16]) -> Bool {
    stores.contains { coordinator.openStore(number: $0)?.contextual?.fetchesFaults == true }
  }

  func detached(for plan: FetchPlan) -> (any RowSource & Sendable)? {
    guard !fetchesFaults(in: plan.stores), plan.specification.predicate?.needsContextQueue != true
    else { return nil }
    let detached = StoreSource(coordinator, for: context)
    detached.generation = generation
    return detached
  }

  // MARK: Fetching

  func fetchRows(_ fetch: RowFetch, in stores: [UInt16], _ body: (StoreRows) -> Void) throws {
    for number in stores {
      guard let open = coordinator.openStore(number: number) else { continue }
      body(
        StoreRows(
          storeNumber: number,
          rows: try open.fetchRows(prepared(fetch, for: open), at: generation, for: context)))
    }
  }

  func fetchKeys(_ fetch: RowFetch, in stores: [UInt16]) throws -> [StoreKeys] {
    try open(stores).map {
      StoreKeys(
        storeNumber: $0.number,
        keys: try $0.fetchKeys(prepared(fetch, for: $0), at: generation, for: context))
    }
  }

  func count(_ fetch: RowFetch, in stores: [UInt16]) throws -> Int {
    try open(stores).reduce(0) {
      try $0 + $1.count(prepared(fetch, for: $1), at: generation, for: context)
    }
  }

  func fetchDictionaries(_ fetch: RowFetch, in stores: [UInt16]) throws -> [[String: Any]] {
    try open(stores).flatMap {
      try $0.fetchDictionaries(prepared(fetch, for: $0), at: generation, for: context)
    }
  }

  /// The fetch, with the context's objects for closures in its predicate.
  private func prepared(_ fetch: RowFetch, for open: OpenStore) -> RowFetch {
    guard let predicate = fetch.specification.predicate, predicate.hasOpaqueParts else {
      return fetch
    }
    var fetch = fetch
    let number = open.number
    fetch.object = { [unowned context] row, page in
      context.object(of: row, on: page, storeNumber: number)
    }
    return fetch
  }

  // MARK: Faulting

  func knownRow(_ name: RowName, layout: RowLayout, maximumAge: Double) -> PlacedRow? {
    guard let open = coordinator.openStore(number: name.storeNumber),
      generation?.pins(open) != true,
      let found = open.cachedRow(for: RowKey(key: name.key, layoutIndex: Int32(layout.index))),
      found.page.layout === layout, open.isFresh(found.page, maximumAge: maximumAge)
    else { return nil }
    return PlacedRow(row: found.row, page: found.page)
  }

  func rows(withKeys keys: [Int64], layout: RowLayout, in store: UInt16) throws -> FetchedRows {
    try coordinator.openStore(number: store)?
      .rows(withKeys: keys, layout: layout, at: generation, for: context) ?? FetchedRows()
  }

  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    in store: UInt16,
    includingRows: Bool
  ) throws -> RelatedRows {
    try coordinator.openStore(number: store)?
      .members(
        of: relationship, owners: owners, layout: layout, includingRows: includingRows,
        at: generation, for: context)
      ?? RelatedRows()
  }

  private func open(_ numbers: [UInt16]) -> [OpenStore] {
    numbers.compactMap(coordinator.openStore(number:))
  }
}

/// Connecting a context to a coordinator or a parent.
extension NSManagedObjectContext {
  func connect(to coordinator: NSPersistentStoreCoordinator?) {
    precondition(
      storedParent == nil,
      "A context with a parent reads and writes through it, and has no own coordinator.")
    guard coordinator !== storedCoordinator else { return }
    requireNoChanges("persistentStoreCoordinator")
    changeSource {
      storedCoordinator = coordinator
      source = coordinator.map { StoreSource($0, for: self) }
    }
  }

  func connect(toParent parent: NSManagedObjectContext?) {
    guard parent !== storedParent else { return }
    requireNoChanges("parent")
    changeSource {
      storedCoordinator = nil
      storedParent = parent
      parent?.aliases.isKept = true
      seenAliases = parent?.aliases.count ?? 0
      source = parent.map { ParentSource($0, of: self) }
    }
  }

  private func changeSource(_ change: () -> Void) {
    replaceSource {
      stopObserving()
      change()
      placeholderOwners = []
      lastEntity = LastEntity()
      startObserving()
    }
  }

  private func requireNoChanges(_ property: String) {
    precondition(
      changes.isEmpty,
      "The context has unsaved changes. Save or reset it before you set its \(property).")
  }
}
