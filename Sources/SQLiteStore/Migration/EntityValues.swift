import ManagedObjectModel
import ObjectRows

/// The values of a newer entity's columns, as expressions over the rows of the former entity.
struct EntityValues {
  private let mapping: MigrationMapping
  private let entity: EntitySchema
  private let source: EntitySchema
  private(set) var values: [String: ColumnValue] = [:]
  /// The order columns that are new in this version, each with the column of the owner's key.
  private(set) var newOrders: [(order: String, key: String)] = []

  init(_ entity: EntitySchema, from source: EntitySchema, _ mapping: MigrationMapping) {
    self.mapping = mapping
    self.entity = entity
    self.source = source
    for (ordinal, column) in entity.columns.enumerated() {
      guard let column else { continue }
      let former = mapping.sourceOrdinal(of: ordinal, in: entity)
      switch entity.layout.properties[ordinal] {
      case let attribute as NSAttributeDescription: add(attribute, column, former)
      case is NSRelationshipDescription: addToOne(ordinal, column, former)
      default: break
      }
    }
    for owner in mapping.destination.ownerColumns(of: entity) { add(owner) }
  }

  // MARK: Attributes

  private mutating func add(
    _ attribute: NSAttributeDescription, _ column: PropertyColumn, _ former: Int?
  ) {
    let formerColumn = former.flatMap { source.columns[$0] }
    let formerAttribute = former.flatMap { source.layout.properties[$0] as? NSAttributeDescription }
    guard column.isComposite else {
      values[column.name] = value(of: attribute, column.name, formerAttribute, formerColumn?.name)
      return
    }
    for leaf in column.leaves {
      let formerLeaf = formerColumn?.leaves.first { $0.path == leaf.path }
      values[leaf.name] = value(
        of: leaf.attribute, leaf.name, formerLeaf?.attribute, formerLeaf?.name)
    }
  }

  private func value(
    of attribute: NSAttributeDescription, _ column: String, _ former: NSAttributeDescription?,
    _ formerColumn: String?
  ) -> ColumnValue {
    let literal =
      attribute is NSDerivedAttributeDescription ? nil : SQLLiteral.defaultValue(of: attribute)
    guard let former, let formerColumn, !formerColumn.isEmpty else {
      return literal.map { .constant($0) } ?? .null
    }
    var term = formerColumn
    if former.allowsExternalBinaryDataStorage != attribute.allowsExternalBinaryDataStorage,
      [.binaryDataAttributeType, .transformableAttributeType].contains(attribute.attributeType)
    {
      let function =
        attribute.allowsExternalBinaryDataStorage
        ? ExternalValueFunctions.tagging : ExternalValueFunctions.untagging
      term = "\(function)(\(term))"
    }
    if !attribute.isOptional, former.isOptional, let literal {
      term = "IFNULL(\(term), \(literal))"
    }
    if term == column { return .same }
    return formerColumn == column ? .adjusted(term) : .computed(term)
  }

  // MARK: To-one relationships

  private mutating func addToOne(_ ordinal: Int, _ column: PropertyColumn, _ former: Int?) {
    let relationship = former.flatMap { source.layout.properties[$0] as? NSRelationshipDescription }
    if let former, let relationship, let formerColumn = source.columns[former] {
      values[column.name] = formerColumn.name == column.name ? .same : .computed(formerColumn.name)
      if let name = column.entityColumn {
        values[name] = entityNumber(name, of: formerColumn, relationship)
      }
      addOrder(of: column, from: formerColumn.orderColumn)
      return
    }
    guard let links = RelationshipLinks.former(of: ordinal, in: entity, mapping) else {
      for name in [column.name, column.entityColumn, column.orderColumn].compactMap({ $0 }) {
        values[name] = .null
      }
      return
    }
    let key = "(SELECT b FROM (\(links.query)) WHERE a = O.Z_PK ORDER BY ab, b LIMIT 1)"
    values[column.name] = .computed(key)
    if let name = column.entityColumn { values[name] = entityNumber(ofRowWithKey: key, ordinal) }
    if let order = column.orderColumn {
      values[order] =
        links.hasOwnerOrder
        ? .computed("(SELECT ba FROM (\(links.query)) WHERE a = O.Z_PK ORDER BY ab, b LIMIT 1)")
        : .null
      if !links.hasOwnerOrder { newOrders.append((order, column.name)) }
    }
  }

  // MARK: Relationships without an inverse

  private mutating func add(_ owner: OwnerColumn) {
    let column = owner.column
    guard let declaring = mapping.destination.entity(number: owner.ownerNumber),
      let ordinal = declaring.layout.ordinal(of: owner.relationship.name),
      let links = RelationshipLinks.former(of: ordinal, in: declaring, mapping)
    else {
      for name in [column.name, column.entityColumn, column.orderColumn].compactMap({ $0 }) {
        values[name] = .null
      }
      return
    }
    if let former = formerOwner(of: ordinal, in: declaring) {
      values[column.name] = former.name == column.name ? .same : .computed(former.name)
      if let name = column.entityColumn {
        values[name] = ownerNumber(name, of: former, declaring, key: "O.\(former.name)")
      }
      addOrder(of: column, from: former.orderColumn)
      return
    }
    let pairs = "FROM (\(links.query)) WHERE b = O.Z_PK ORDER BY a LIMIT 1"
    values[column.name] = .computed("(SELECT a \(pairs))")
    if let name = column.entityColumn {
      values[name] = ownerNumber(name, of: nil, declaring, key: "(SELECT a \(pairs))")
    }
    guard let order = column.orderColumn else { return }
    values[order] = links.hasMemberOrder ? .computed("(SELECT ab \(pairs))") : .null
    if !links.hasMemberOrder { newOrders.append((order, column.name)) }
  }

  /// The column of a relationship's owner in the former rows of this entity, if they had one.
  private func formerOwner(of ordinal: Int, in declaring: EntitySchema) -> PropertyColumn? {
    guard let former = mapping.source(of: declaring),
      let place = mapping.sourceOrdinal(of: ordinal, in: declaring),
      case .foreignKey(let column, _)? = former.toMany[place],
      let relationship = former.layout.properties[place] as? NSRelationshipDescription,
      let members = relationship.destinationEntity?.name.flatMap(mapping.source.entity(named:)),
      members.subtreeNumbers.contains(source.number)
    else { return nil }
    return column
  }

  /// The number of the owner's entity, from the former column or from the owner's row.
  private func ownerNumber(
    _ name: String, of former: PropertyColumn?, _ declaring: EntitySchema, key: String
  ) -> ColumnValue {
    guard let owner = mapping.source(of: declaring) else { return .null }
    guard let column = former?.entityColumn else {
      let number = mapping.renumbered("D.Z_ENT", among: mapping.source.entities.map(\.number))
      return .computed("(SELECT \(number) FROM \(owner.table) D WHERE D.Z_PK = \(key))")
    }
    let term = mapping.renumbered(column, among: owner.subtreeNumbers)
    if term == name { return .same }
    return column == name ? .adjusted(term) : .computed(term)
  }

  private mutating func addOrder(of column: PropertyColumn, from former: String?) {
    guard let order = column.orderColumn else { return }
    values[order] = former.map { $0 == order ? .same : .computed($0) } ?? .null
    if former == nil { newOrders.append((order, column.name)) }
  }

  /// The number of the destination's entity, for a relationship that was to-one before.
  private func entityNumber(
    _ name: String, of former: PropertyColumn, _ relationship: NSRelationshipDescription
  ) -> ColumnValue {
    let destination = relationship.destinationEntity?.name.flatMap(mapping.source.entity(named:))
    guard let formerColumn = former.entityColumn else {
      guard let number = destination.flatMap({ mapping.numbers[$0.number] }) else { return .null }
      return .computed("CASE WHEN \(former.name) NOT NULL THEN \(number) END")
    }
    let term = mapping.renumbered(formerColumn, among: destination?.subtreeNumbers ?? [])
    if term == name { return .same }
    return formerColumn == name ? .adjusted(term) : .computed(term)
  }

  /// The number of the destination's entity, read from its row.
  private func entityNumber(ofRowWithKey key: String, _ ordinal: Int) -> ColumnValue {
    guard let relationship = entity.layout.properties[ordinal] as? NSRelationshipDescription,
      let destination = relationship.destinationEntity?.name.flatMap(
        mapping.destination.entity(named:)),
      let former = mapping.source(of: destination)
    else { return .null }
    let number = mapping.renumbered("D.Z_ENT", among: mapping.source.entities.map(\.number))
    return .computed("(SELECT \(number) FROM \(former.table) D WHERE D.Z_PK = \(key))")
  }
}
