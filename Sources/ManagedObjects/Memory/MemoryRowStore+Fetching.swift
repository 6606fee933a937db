package import ManagedObjectModel
package import ObjectRows

extension MemoryRowStore {
  package func fetchRows(_ fetch: RowFetch) throws -> FetchedRows {
    var collector = RowsCollector()
    for stored in try MemoryQuery(fetch, in: self).rows() { collector.add(stored) }
    return collector.rows
  }

  package func fetchKeys(_ fetch: RowFetch) throws -> ContiguousArray<RowKey> {
    ContiguousArray(try MemoryQuery(fetch, in: self).rows().map(\.key))
  }

  package func count(_ fetch: RowFetch) throws -> Int {
    try MemoryQuery(fetch, in: self).count()
  }

  package func fetchDictionaries(_ fetch: RowFetch) throws -> [[String: Any]] {
    try MemoryDictionaries(MemoryQuery(fetch, in: self)).dictionaries()
  }

  package func rows(withKeys keys: [Int64], layout: RowLayout) throws -> FetchedRows {
    let contents = contents
    var collector = RowsCollector()
    for key in keys {
      guard let stored = contents.row(key, root: layout.rootIndex), stored.layout.isOf(layout)
      else { continue }
      collector.add(stored)
    }
    return collector.rows
  }

  package func members(
    of relationship: NSRelationshipDescription, owners: [Int64], layout: RowLayout,
    includingRows: Bool
  ) throws -> RelatedRows {
    let contents = contents
    var related = RelatedRows()
    var collector = RowsCollector()
    for owner in owners {
      guard let stored = contents.row(owner, root: layout.rootIndex),
        let ordinal = stored.layout.ordinal(of: relationship.name)
      else { continue }
      let members =
        relationship.isToMany
        ? contents.members(ordinal, of: stored)
        : ContiguousArray([contents.destination(ordinal, of: stored)].compactMap { $0?.key })
      for member in members {
        guard let row = contents.row(member) else { continue }
        related.owners.append(owner)
        related.members.append(row.key)
        if includingRows { collector.add(row) }
      }
    }
    if includingRows { related.rows = collector.rows }
    return related
  }
}

/// Collects rows with the pages that hold them.
private struct RowsCollector {
  private(set) var rows = FetchedRows()
  private var places: [ObjectIdentifier: Int32] = [:]
  private var last: (page: ObjectIdentifier, place: Int32)?

  mutating func add(_ stored: StoredRow) {
    rows.rows.append(FetchedRow(row: stored.row, page: place(of: stored.page)))
  }

  private mutating func place(of page: RowPage) -> Int32 {
    let identifier = ObjectIdentifier(page)
    if let last, last.page == identifier { return last.place }
    let place = places[identifier] ?? Int32(rows.pages.count)
    if place == rows.pages.count {
      rows.pages.append(page)
      places[identifier] = place
    }
    last = (identifier, place)
    return place
  }
}

extension RowLayout {
  /// Whether this layout's entity is another layout's entity or one of its subentities.
  fileprivate func isOf(_ layout: RowLayout) -> Bool {
    index == layout.index
      || (rootIndex == layout.rootIndex && entity.isKindOf(entity: layout.entity))
  }
}
