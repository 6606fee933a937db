import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Adapts the history to the entity numbers and properties of another version.
struct HistoryMigration {
  let mapping: MigrationMapping
  let layout: HistoryLayout

  func run(on connection: Connection) throws(SQLiteError) {
    let wanted = max(layout.tombstoneCount, mapping.destination.tombstoneCount)
    for place in layout.tombstoneCount..<wanted {
      try connection.execute(
        "ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstoneColumn(place)) BLOB")
    }
    for entity in mapping.destination.entities {
      guard let former = mapping.source(of: entity) else { continue }
      try moveBitmaps(of: former, to: entity, connection)
      try moveTombstones(of: former, to: entity, connection)
    }
    let removed = mapping.removedNumbers
    if !removed.isEmpty {
      try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(list(removed)))")
    }
    let changed = mapping.numbers.filter { $0.key != $0.value }.keys.sorted()
    guard !changed.isEmpty else { return }
    let term = mapping.renumbered("ZENTITY", among: changed)
    try connection.execute(
      "UPDATE ACHANGE SET ZENTITY = \(term) WHERE ZENTITY IN (\(list(changed)))")
  }

  /// Reorders the bits of updated properties, whose order depends on the names of all properties.
  private func moveBitmaps(
    of former: EntitySchema, to entity: EntitySchema, _ connection: Connection
  ) throws(SQLiteError) {
    let (old, new) = (HistoryBitmap(former), HistoryBitmap(entity))
    let all = OrdinalSet(entity.layout.properties.indices)
    guard old.ordinals(in: new.bytes(for: all)) != all || !sameProperties(former, entity) else {
      return
    }
    let rows = try connection.rows(
      "SELECT Z_PK, ZCOLUMNS FROM ACHANGE WHERE ZENTITY = ? AND ZCOLUMNS NOT NULL",
      [.integer(Int64(former.number))])
    for row in rows {
      guard case .blob(let bytes) = row[1] else { continue }
      let changed = old.ordinals(in: bytes)
      let moved = entity.layout.properties.indices.filter { ordinal in
        mapping.sourceOrdinal(of: ordinal, in: entity).map(changed.contains) ?? false
      }
      try connection.run(
        "UPDATE ACHANGE SET ZCOLUMNS = ? WHERE Z_PK = ?",
        [.blob(new.bytes(for: OrdinalSet(moved))), row[0]])
    }
  }

  private func sameProperties(_ former: EntitySchema, _ entity: EntitySchema) -> Bool {
    former.layout.properties.map(\.name) == entity.layout.properties.map(\.name)
      && former.columns.map { $0?.entityColumn == nil }
        == entity.columns.map { $0?.entityColumn == nil }
      && former.toMany.map { $0 == nil } == entity.toMany.map { $0 == nil }
  }

  /// Moves the values of deleted rows: the names of all preserved attributes determine the columns.
  private func moveTombstones(
    of former: EntitySchema, to entity: EntitySchema, _ connection: Connection
  ) throws(SQLiteError) {
    let old = former.preservedOrdinals
    let places = entity.preservedOrdinals.map { ordinal in
      mapping.sourceOrdinal(of: ordinal, in: entity).flatMap { old.firstIndex(of: $0) }
    }
    guard places != Array(old.indices) else { return }
    let terms = (0..<max(layout.tombstoneCount, places.count)).map { place in
      let source = place < places.count ? places[place] : nil
      let value =
        source.flatMap { $0 < layout.tombstoneCount ? HistoryTables.tombstoneColumn($0) : nil }
        ?? "NULL"
      return "\(HistoryTables.tombstoneColumn(place)) = \(value)"
    }
    guard !terms.isEmpty else { return }
    try connection.execute(
      "UPDATE ACHANGE SET \(terms.joined(separator: ", ")) WHERE ZENTITY = \(former.number)")
  }

  private func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
