package import ObjectRows

/// A store's representation of a model: entity numbers, tables, columns, join tables.
///
/// The model and the configuration determine it, as in Core Data. A file may have other numbers and
/// names: `matched(to:at:)` returns the schema of a file.
package final class StoreSchema: Sendable {
  package let layouts: ModelLayouts
  /// The configuration of the store, or nil for all entities.
  package let configuration: String?
  /// The entities, by number.
  package let entities: [EntitySchema]
  /// The tables, by the name of their root entity.
  package let tables: [TableSchema]
  /// The values that do not follow from the model, such as the numbers in a file.
  let basis: SchemaBasis
  private let byLayout: [EntitySchema?]
  private let byNumber: [Int: EntitySchema]

  /// Plans the schema of a new store for a model.
  ///
  /// Throws if a store cannot represent the model; the error names entity and property.
  package convenience init(layouts: ModelLayouts, configuration: String?) throws(StoreError) {
    try self.init(layouts: layouts, configuration: configuration, basis: SchemaBasis())
  }

  init(layouts: ModelLayouts, configuration: String?, basis: SchemaBasis) throws(StoreError) {
    var planner = try SchemaPlanner(layouts: layouts, configuration: configuration, basis: basis)
    let plan = try planner.plan()
    self.layouts = layouts
    self.basis = basis
    self.configuration = configuration
    entities = plan.entities
    tables = plan.tables
    var byLayout = [EntitySchema?](repeating: nil, count: layouts.layouts.count)
    for entity in plan.entities { byLayout[entity.layout.index] = entity }
    self.byLayout = byLayout
    byNumber = Dictionary(
      plan.entities.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the schema of an entity's rows, or nil if the entity is not in the store's
  /// configuration.
  package func entity(_ layout: RowLayout) -> EntitySchema? { byLayout[layout.index] }

  /// The entity with a number, or nil if the store has none.
  package func entity(number: Int) -> EntitySchema? { byNumber[number] }

  /// The entity with a name, or nil if the store has none.
  package func entity(named name: String) -> EntitySchema? { layouts[named: name].flatMap(entity) }

  /// The columns with the keys of owners that rows of an entity have, for relationships without an
  /// inverse.
  func ownerColumns(of entity: EntitySchema) -> [OwnerColumn] {
    let table = tables.first { $0.name == entity.table }
    return (table?.ownerColumns ?? []).filter { owner in
      self.entity(number: owner.memberNumber)?.subtreeNumbers.contains(entity.number) ?? false
    }
  }

  /// The join tables of all tables.
  package var joinTables: [JoinTable] { tables.flatMap(\.joinTables) }
}
