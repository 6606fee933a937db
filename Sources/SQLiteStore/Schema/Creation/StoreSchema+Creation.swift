import ManagedObjectModel
package import ObjectRows

extension StoreSchema {
  /// The statements that create the store's tables, in Core Data's order: tables with their join
  /// tables, indexes, triggers, housekeeping tables.
  ///
  /// Throws where a derived attribute cannot be computed by a store.
  package func creationStatements() throws(StoreError) -> [String] {
    let tableStatements = tables.flatMap { [$0.definition] + $0.joinTables.map(\.definition) }
    let spatial = entities.flatMap(\.spatialIndexes)
    return tableStatements + indexes.map(\.definition) + spatial.map(\.definition)
      + (try triggers()).map(\.definition)
      + [HousekeepingTables.primaryKey, HousekeepingTables.metadata, HousekeepingTables.modelCache]
  }

  /// The triggers of indexes over regions and of derived attributes.
  package func triggers() throws(StoreError) -> [TriggerSchema] {
    var triggers = entities.flatMap(\.spatialIndexes).flatMap(\.triggers)
    for entity in entities {
      for attribute in DerivedAttribute.all(of: entity, in: self) {
        triggers += try attribute.triggers()
      }
    }
    return triggers
  }

  /// The statements that compute derived attributes of all rows anew.
  func derivedFillings() throws(StoreError) -> [String] {
    var statements: [String] = []
    for entity in entities {
      for attribute in DerivedAttribute.all(of: entity, in: self) {
        if let statement = try attribute.filling() { statements.append(statement) }
      }
    }
    return statements
  }

  /// Whether a connection that writes must trust the schema: SQLite lets triggers fill an R-tree
  /// only then.
  package var needsTrustedSchema: Bool { entities.contains { !$0.spatialIndexes.isEmpty } }

  /// The rows of `Z_PRIMARYKEY` of a new store: number, name and parent's number of every entity.
  package var primaryKeyRows: [(number: Int, name: String, superNumber: Int)] {
    entities.map { ($0.number, $0.name, $0.superNumber) }
  }

  /// The number of history columns for values of deleted rows: as many as the entity with most
  /// attributes that are preserved has.
  package var tombstoneCount: Int { entities.map { $0.preservedOrdinals.count }.max() ?? 0 }
}

extension EntitySchema {
  /// The ordinals of the attributes whose values history keeps when a row is deleted, by name: the
  /// order in which they fill its columns.
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
