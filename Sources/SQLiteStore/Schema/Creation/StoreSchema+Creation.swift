import ManagedObjectModel
package import ObjectRows

extension StoreSchema {
  /// The statements that create the store's tables, in Core Data's order: tables with their join
  /// tables, indexes, triggers, housekeeping tables.
  ///
  /// Throws if a store cannot compute a derived attribute.
  package func creationStatements() throws(StoreError) -> [String] {
    let tableStatements = tables.flatMap { [$0.definition] + $0.joinTables.map(\.definition) }
    let spatial = entities.flatMap(\.spatialIndexes)
    return tableStatements + indexes.map(\.definition) + spatial.map(\.definition)
      + (try triggers()).map(\.definition)
      + [HousekeepingTables.primaryKey, HousekeepingTables.metadata, HousekeepingTables.modelCache]
  }

  /// The triggers of R-tree indexes and of derived attributes.
  package func triggers() throws(StoreError) -> [TriggerSchema] {
    var triggers = entities.flatMap(\.spatialIndexes).flatMap(\.triggers)
    for entity in entities {
      for attribute in DerivedAttribute.all(of: entity, in: self) {
        triggers += try attribute.triggers()
      }
    }
    return triggers
  }

  /// The statements that recompute the derived attributes of all rows.
  func derivedFillings() throws(StoreError) -> [String] {
    var statements: [String] = []
    for entity in entities {
      for attribute in DerivedAttribute.all(of: entity, in: self) {
        if let statement = try attribute.filling() { statements.append(statement) }
      }
    }
    return statements
  }

  /// Whether a writing connection must trust the schema: SQLite requires that for triggers that
  /// fill an R-tree.
  package var needsTrustedSchema: Bool { entities.contains { !$0.spatialIndexes.isEmpty } }

  /// The rows of `Z_PRIMARYKEY` in a new store: number, name, and parent's number of every entity.
  package var primaryKeyRows: [(number: Int, name: String, superNumber: Int)] {
    entities.map { ($0.number, $0.name, $0.superNumber) }
  }

  /// The number of history columns for values of deleted rows: the greatest number of preserved
  /// attributes of an entity.
  package var tombstoneCount: Int { entities.map { $0.preservedOrdinals.count }.max() ?? 0 }
}

extension EntitySchema {
  /// The ordinals of the attributes that the history preserves after deletion, sorted by name,
  /// which is the order of their columns.
  package var preservedOrdinals: [Int] {
    layout.properties.indices.filter { ordinal in
      (layout.properties[ordinal] as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion
        == true
        && columns[ordinal] != nil
    }.sorted {
      layout.properties[$0].name.utf8.lexicographicallyPrecedes(layout.properties[$1].name.utf8)
    }
  }
}
