package import ObjectRows

/// How a store keeps the entities of a model: numbers, tables, columns, join tables.
///
/// It follows from the model and the configuration alone, as Core Data derives it. A file may have
/// other numbers and the other name of a join table: `matched(to:)` gives the schema of a file.
package final class StoreSchema: Sendable {
  package let layouts: ModelLayouts
  /// The configuration whose entities the store keeps, or nil for all entities.
  package let configuration: String?
  /// The entities, by number.
  package let entities: [EntitySchema]
  /// The tables, by the number of their root entity.
  package let tables: [TableSchema]
  /// What was settled beforehand, such as the numbers of a file.
  let basis: SchemaBasis
  private let byLayout: [EntitySchema?]
  private let byNumber: [Int: EntitySchema]

  /// The schema that a new store for a model has.
  ///
  /// Throws where the model cannot be kept in a store, with the names of entity and property.
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

  /// Where the rows of an entity are kept, or nil where the entity is not in the store's
  /// configuration.
  package func entity(_ layout: RowLayout) -> EntitySchema? { byLayout[layout.index] }

  /// The entity of a number, or nil where the store has none.
  package func entity(number: Int) -> EntitySchema? { byNumber[number] }

  /// The entity of a name, or nil where the store has none.
  package func entity(named name: String) -> EntitySchema? { layouts[named: name].flatMap(entity) }

  /// The join tables of all tables.
  package var joinTables: [JoinTable] { tables.flatMap(\.joinTables) }
}
