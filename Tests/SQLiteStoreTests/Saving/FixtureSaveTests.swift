import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

@Suite(.requiresFixtures) struct `Stores that Apple's framework wrote` {
  private func open(_ url: URL, _ fixture: FixtureStore) throws -> SQLiteRowStore {
    var options = StoreOptions()
    options.tracksHistory = true
    return try SQLiteRowStore(
      StoreOpening(url: url, layouts: .of(fixture.model()), options: options).run())
  }

  private func allRows(_ store: SQLiteRowStore, of entity: EntitySchema) throws -> FetchedRows {
    try store.fetchRows(RowFetch(layout: entity.layout, specification: FetchSpecification()))
  }

  @Test(arguments: FixtureStore.withModel)
  func `All rows and relationships are read`(fixture: FixtureStore) throws {
    try withTemporaryDirectory { folder in
      let url = try fixture.copy(to: folder)
      let store = try open(url, fixture)
      let file = try Connection(.file(url.path), options: .readOnly)
      for entity in store.schema.entities {
        let rows = try allRows(store, of: entity)
        let numbers = entity.subtreeNumbers.map(String.init).joined(separator: ", ")
        let count = try file.value(
          "SELECT count(*) FROM \(entity.table) WHERE Z_ENT IN (\(numbers))")
        #expect(count == .integer(Int64(rows.rows.count)), "\(fixture.name) \(entity.name)")
        let keys = rows.rows.map(\.row.key)
        #expect(try store.rows(withKeys: keys, layout: entity.layout).rows.count == keys.count)
        for case let relationship as NSRelationshipDescription in entity.layout.properties
        where !relationship.isTransient {
          let related = try store.members(
            of: relationship, owners: keys, layout: entity.layout, includingRows: true)
          #expect(related.rows?.rows.map(\.row.key) == related.members.map(\.key))
        }
      }
    }
  }

  @Test(arguments: FixtureStore.withModel)
  func `The stores are written and reopen`(fixture: FixtureStore) throws {
    try withTemporaryDirectory { folder in
      let url = try fixture.copy(to: folder)
      let store = try open(url, fixture)
      let before = try rowsByEntity(store)
      var memory: [RowPage] = []
      var changes = StoreChanges(transaction: .sample)
      for entity in store.schema.entities where !entity.entity.isAbstract {
        let key = try store.reserveKeys([(entity.layout, 1)], forSave: true)[0][0]
        let page = RowPage(layout: entity.layout, capacity: 2)
        memory.append(page)
        changes.inserted.append(
          RowChange(
            layout: entity.layout, row: page.appendRow(key: key, version: 0), changed: OrdinalSet(),
            expectedVersion: nil))
        guard let row = before[entity.name]?.rows.first?.row else { continue }
        // The whole row stays the same, except for its version.
        let all = OrdinalSet(entity.columns.indices.filter { entity.columns[$0] != nil })
        changes.updated.append(
          RowChange(
            layout: entity.layout, row: page.appendRow(copying: row), changed: all,
            expectedVersion: row.version))
      }
      guard case .saved = try store.save(changes) else {
        return #expect(Bool(false), "conflicts in \(fixture.name)")
      }
      for inserted in changes.inserted {
        let found = try store.rows(withKeys: [inserted.row.key], layout: inserted.layout)
        #expect(withExtendedLifetime(found) { found.rows.first?.row.version } == 1)
      }
      var deletions = StoreChanges(transaction: .sample)
      for inserted in changes.inserted {
        deletions.deleted.append(
          RowDeletion(layout: inserted.layout, key: inserted.row.key, expectedVersion: 1))
      }
      guard case .saved = try store.save(deletions) else {
        return #expect(Bool(false), "conflicts in \(fixture.name)")
      }
      try store.close()
      try compare(
        try open(url, fixture), with: before, updated: Set(changes.updated.map { Row($0) }))
      #expect(try Connection(.file(url.path)).issues(.full) == [])
      _ = memory
    }
  }

  private struct Row: Hashable {
    let entity: String
    let key: Int64

    init(_ change: RowChange) { (entity, key) = (change.layout.entity.name ?? "", change.row.key) }
    init(_ layout: RowLayout, _ row: RowReference) {
      (entity, key) = (layout.entity.name ?? "", row.key)
    }
  }

  /// The rows of each entity without subentities.
  private func rowsByEntity(_ store: SQLiteRowStore) throws -> [String: FetchedRows] {
    var result: [String: FetchedRows] = [:]
    for entity in store.schema.entities {
      var specification = FetchSpecification()
      specification.includesSubentities = false
      result[entity.name] = try store.fetchRows(
        RowFetch(layout: entity.layout, specification: specification))
    }
    return result
  }

  private func compare(
    _ store: SQLiteRowStore, with before: [String: FetchedRows], updated: Set<Row>
  ) throws {
    for (name, rows) in try rowsByEntity(store) {
      let old = Dictionary(
        (before[name]?.rows ?? []).map { ($0.row.key, $0.row) },
        uniquingKeysWith: { first, _ in first })
      #expect(rows.rows.count == old.count, "\(name)")
      for fetched in rows.rows {
        let layout = rows.pages[Int(fetched.page)].layout
        let row = try #require(old[fetched.row.key])
        let isUpdated = updated.contains(Row(layout, row))
        #expect(fetched.row.version == row.version + (isUpdated ? 1 : 0))
        for ordinal in layout.properties.indices
        where !(layout.properties[ordinal] is NSDerivedAttributeDescription) {
          let isSame = layout.isEqual(ordinal, in: fetched.row, and: row)
          #expect(isSame, "\(name) \(row.key) \(layout.properties[ordinal].name)")
        }
      }
    }
  }
}
