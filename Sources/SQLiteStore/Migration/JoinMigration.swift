import ObjectRows

/// The migration of a join table's rows to the newer version.
struct JoinMigration {
  let table: JoinTable
  private let links: RelationshipLinks?
  /// Whether the older version has the same table.
  let stays: Bool

  init(_ table: JoinTable, owner: EntitySchema, _ mapping: MigrationMapping) {
    self.table = table
    let ordinal = owner.layout.properties.firstIndex { $0 === table.relationship }
    links = ordinal.flatMap { RelationshipLinks.former(of: $0, in: owner, mapping) }
    let former = ordinal.flatMap { mapping.sourceOrdinal(of: $0, in: owner) }
    if let former,
      case .join(let old, let column, _, _)? = mapping.source(of: owner)?.toMany[former]
    {
      stays = old.name == table.name && old.columns == table.columns && column == table.firstColumn
    } else {
      stays = false
    }
  }

  var interimName: String { "Z_MIGRATION_\(table.name)" }

  /// The statements that create and fill a copy; empty if the table stays.
  var copying: [String] {
    guard !stays else { return [] }
    let creation = table.definition(named: interimName)
    guard let links else { return [creation] }
    var (columns, terms) = ([table.firstColumn, table.secondColumn], ["a", "b"])
    if let order = table.secondOrderColumn {
      columns.append(order)
      terms.append("ab")
    }
    if let order = table.firstOrderColumn {
      columns.append(order)
      terms.append("ba")
    }
    return [
      creation,
      "INSERT OR IGNORE INTO \(interimName) (\(columns.joined(separator: ", "))) SELECT \(terms.joined(separator: ", ")) FROM (\(links.query))",
    ]
  }

  /// The statements that give members order keys, for an order that is new in this version.
  var ordering: [String] {
    guard !stays, let links else { return [] }
    var statements: [String] = []
    if let order = table.secondOrderColumn, !links.hasMemberOrder {
      statements.append(
        RowOrder.numbering(
          table: table.name, order: order, by: table.firstColumn, then: table.secondColumn))
    }
    if let order = table.firstOrderColumn, !links.hasOwnerOrder {
      statements.append(
        RowOrder.numbering(
          table: table.name, order: order, by: table.secondColumn, then: table.firstColumn))
    }
    return statements
  }
}
