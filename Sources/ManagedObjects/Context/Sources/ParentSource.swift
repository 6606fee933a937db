import ManagedObjectModel
import ObjectRows

/// A parent context as a source: its objects, changed or not, serve as the rows of its children.
///
/// All work happens on the parent's queue while the child's queue waits. Functions that take keys
/// are called within `inStepWithParent` of the child, so that they receive the parent's keys;
/// `knownRow` needs the parent's queue only.
final class ParentSource: RowSource, Sendable {
  let parent: NSManagedObjectContext
  /// The child; nil for reads on another queue than the child's.
  private unowned let child: NSManagedObjectContext?

  init(_ parent: NSManagedObjectContext, of child: NSManagedObjectContext?) {
    self.parent = parent
    self.child = child
  }

  var layouts: ModelLayouts { parent.layouts }

  func stores(for layout: RowLayout, limitedTo stores: [AnyObject]?) throws -> [UInt16] {
    try parent.source?.stores(for: layout, limitedTo: stores) ?? []
  }

  func identity(ofStore number: UInt16) -> StoreIdentity? {
    parent.source?.identity(ofStore: number)
  }

  func number(ofStore identity: StoreIdentity) -> UInt16? {
    parent.source?.number(ofStore: identity)
  }

  func fetchesFaults(in stores: [UInt16]) -> Bool {
    parent.source?.fetchesFaults(in: stores) ?? false
  }

  /// The parent's queue executes the fetch in any case.
  func detached(for plan: FetchPlan) -> (any RowSource & Sendable)? {
    ParentSource(parent, of: nil)
  }

  /// Calls a closure on the parent's queue, after the child has adopted the parent's keys.
  private func inParent<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let child else { return try parent.performAndWait(body) }
    return try child.inStepWithParent(body)
  }

  // MARK: Fetching

  func fetchRows(_ fetch: RowFetch, in stores: [UInt16], _ body: (StoreRows) -> Void) throws {
    let parts = try inParent {
      var collector = SharedRows()
      for object in try parent.fetchObjects(plan(fetch, stores)) {
        if !object.hasRow { object.prepareAccess() }
        if let placed = object.sharedRow {
          collector.append(placed, storeNumber: object.storeNumber)
        }
      }
      return collector.parts
    }
    parts.forEach(body)
  }

  func fetchKeys(_ fetch: RowFetch, in stores: [UInt16]) throws -> [StoreKeys] {
    try inParent {
      var parts: [StoreKeys] = []
      for object in try parent.fetchObjects(plan(fetch, stores)) {
        if parts.last?.storeNumber != object.storeNumber {
          parts.append(StoreKeys(storeNumber: object.storeNumber, keys: []))
        }
        parts[parts.count - 1].keys.append(object.rowKey)
      }
      return parts
    }
  }

  func count(_ fetch: RowFetch, in stores: [UInt16]) throws -> Int {
    try inParent { try parent.count(plan(fetch, stores)) }
  }

  func fetchDictionaries(_ fetch: RowFetch, in stores: [UInt16]) throws -> [[String: Any]] {
    try inParent { try parent.source?.fetchDictionaries(fetch, in: stores) ?? [] }
  }

  /// The plan for the parent, which always includes the parent's unsaved changes.
  ///
  /// The request's `includesPendingChanges` concerns only the unsaved changes of the child.
  private func plan(_ fetch: RowFetch, _ stores: [UInt16]) -> FetchPlan {
    var plan = FetchPlan(fetch, stores: stores, in: layouts)
    plan.specification.includesPendingChanges = true
    plan.specification.returnsObjectsAsFaults = true
    if plan.specification.fetchBatchSize > 0 {
      plan.specification.relationshipKeyPathsForPrefetching = nil
      plan.specification.fetchBatchSize = 0
    }
    return plan
  }

  // MARK: Faulting

  func knownRow(_ name: RowName, layout: RowLayout, maximumAge: Double) -> PlacedRow? {
    let known = parent.registry.object(
      name.key, rootIndex: name.rootIndex, storeNumber: name.storeNumber)
    guard let known else {
      return parent.inStepWithParent {
        parent.source?.knownRow(name, layout: layout, maximumAge: maximumAge)
      }
    }
    guard known.layout === layout else { return nil }
    if !known.hasRow, let row = parent.knownRow(of: known, maximumAge: maximumAge) { return row }
    return known.sharedRow
  }

  func rows(withKeys keys: [Int64], layout: RowLayout, in store: UInt16) throws -> FetchedRows {
    let objects = keys.compactMap { key in
      key < 0
        ? parent.registry.object(key, rootIndex: layout.rootIndex, storeNumber: store)
        : parent.object(key, layout: layout, storeNumber: store)
    }
    try parent.readRows(of: objects)
    var collector = SharedRows()
    for object in objects {
      if let placed = object.sharedRow {
        collector.append(placed, storeNumber: object.storeNumber)
      }
    }
    return collector.parts.first?.rows ?? FetchedRows()
  }

  func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    in store: UInt16,
    includingRows: Bool
  ) throws -> RelatedRows {
    var related = RelatedRows()
    guard let ordinal = layout.ordinal(of: relationship.name) else { return related }
    let objects = owners.map { parent.object($0, layout: layout, storeNumber: store) }
    if objects.count > 1 {
      try parent.prefetch(
        [relationship.name], from: objects.filter { $0.flags.isDisjoint(with: [.unsaved]) })
    }
    for owner in objects {
      for member in owner.members(ordinal).objects where !member.flags.contains(.deleted) {
        related.owners.append(owner.key)
        related.members.append(member.rowKey)
      }
    }
    return related
  }
}

/// Rows of a parent's objects, in order, with the pages that hold them.
private struct SharedRows {
  private(set) var parts: [StoreRows] = []

  mutating func append(_ placed: PlacedRow, storeNumber: UInt16) {
    if parts.last?.storeNumber != storeNumber {
      parts.append(StoreRows(storeNumber: storeNumber, rows: FetchedRows()))
    }
    let last = parts.count - 1
    if parts[last].rows.pages.last !== placed.page { parts[last].rows.pages.append(placed.page) }
    let page = Int32(parts[last].rows.pages.count - 1)
    parts[last].rows.rows.append(FetchedRow(row: placed.row, page: page))
  }
}

extension NSManagedObject {
  final var rowKey: RowKey { RowKey(key: key, layoutIndex: Int32(layout.index)) }

  /// The object's row as other contexts may hold it.
  ///
  /// The row is copied to a separate page if the object was changed or has a new key. The result is
  /// nil for a deleted object, and for an object without a row.
  final var sharedRow: PlacedRow? {
    guard hasRow, flags.isDisjoint(with: [.deleted, .inaccessible]) else { return nil }
    if row.key == key, state?.ownsRow != true,
      let page = state?.committed?.page ?? owner as? RowPage
    {
      return PlacedRow(row: row, page: page)
    }
    let page = RowPage(layout: layout, capacity: 1)
    let copy = page.appendRow(copying: row)
    copy.key = key
    encodeBoxes(in: copy)
    return PlacedRow(row: copy, page: page)
  }

  /// Encodes transformable values to bytes, from which each context decodes its own value.
  private func encodeBoxes(in row: RowReference) {
    for (ordinal, property) in layout.properties.enumerated() {
      let slot = layout.slots[ordinal]
      guard slot.kind == .boxed, let attribute = property as? NSAttributeDescription,
        attribute.attributeType == .transformableAttributeType,
        let box = slot.load(from: row, as: BoxedValue?.self) as? DecodedValue,
        let data = try? AttributeTransformer(attribute).encode(box.value)
      else { continue }
      slot.store(Optional<BoxedValue>.some(EncodedValue(data)), in: row)
    }
  }
}
