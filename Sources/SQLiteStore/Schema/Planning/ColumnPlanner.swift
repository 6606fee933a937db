import ManagedObjectModel
import ObjectRows

/// Names and orders the columns of one table.
///
/// The planner visits each entity before its subentities, and adds the entity's attributes, to-one
/// relationships, and order columns, each of these sorted by name. The columns are then grouped by
/// the kind of their values.
struct ColumnPlanner {
  private let tree: EntityTree
  private let basis: SchemaBasis
  /// The names of columns in the file, by planned name, if the two differ.
  private let namesInFile: [String: String]
  /// The planned names of optional columns that the file lacks.
  private let absent: Set<String>
  private var names = UniqueNames(taken: ["Z_PK", "Z_ENT", "Z_OPT"])
  private var sequence: [(column: TableColumn, group: Group)] = []
  private(set) var columns: [ObjectIdentifier: PropertyColumn] = [:]
  private(set) var ownerColumns: [OwnerColumn] = []

  /// The groups of columns, in the order of a table's definition.
  private enum Group: Int {
    case integer, order, floating, decimal, string, uri, uuid, transformable, binary
  }

  /// Plans the columns of a root entity's table.
  ///
  /// - Parameter owned: All relationships without an inverse, with the index of the declaring
  ///   entity.
  init(
    tree: EntityTree, root: Int, basis: SchemaBasis,
    owned: [(node: Int, relationship: NSRelationshipDescription)]
  ) throws(StoreError) {
    self.tree = tree
    self.basis = basis
    namesInFile = basis.columns[tree.nodes[root].name] ?? [:]
    absent = basis.absentColumns[tree.nodes[root].name] ?? []
    for index in tree.subtree(of: root) { try add(tree.nodes[index]) }
    for (index, relationship) in owned {
      try addOwner(of: relationship, in: tree.nodes[index], ifRowsAreOf: root)
    }
  }

  /// The columns in the order of the table's definition.
  var orderedColumns: [TableColumn] {
    sequence.enumerated().sorted {
      ($0.element.group.rawValue, $0.offset) < ($1.element.group.rawValue, $1.offset)
    }
    .map(\.element.column)
  }

  private mutating func add(_ node: EntityTree.Node) throws(StoreError) {
    let properties = node.ownProperties.filter { !$0.isTransient }
    for property in properties {
      guard let attribute = property as? NSAttributeDescription else { continue }
      columns[ObjectIdentifier(attribute)] = try column(of: attribute, in: node)
    }
    let toOne = properties.compactMap { $0 as? NSRelationshipDescription }.filter { !$0.isToMany }
    let keys = try toOne.map { (relationship) throws(StoreError) in
      try addKey(of: relationship, in: node)
    }
    for (relationship, key) in zip(toOne, keys) {
      columns[ObjectIdentifier(relationship)] = PropertyColumn(
        name: key.name, kind: .integer, entityColumn: key.entityColumn,
        orderColumn: addOrder(of: relationship))
    }
  }

  // MARK: Relationships

  private mutating func addKey(
    of relationship: NSRelationshipDescription, in node: EntityTree.Node
  ) throws(StoreError) -> (name: String, entityColumn: String?) {
    let name = try baseName(of: relationship, in: node)
    let destination = tree.nodes[try tree.destination(of: relationship, in: node)]
    let key = append("Z\(name)", .integer, .integer)
    guard !destination.children.isEmpty else { return (key, nil) }
    return (key, append("Z\(destination.number)_\(name)", .integer, .integer))
  }

  private mutating func addOrder(of relationship: NSRelationshipDescription) -> String? {
    guard let inverse = relationship.inverseRelationship, inverse.isToMany, inverse.isOrdered,
      !inverse.isTransient
    else { return nil }
    return append("Z_FOK_\(relationship.name.uppercased())", .integer, .order)
  }

  /// Adds the columns for the owner of a relationship without an inverse.
  ///
  /// They are named like the columns of a to-one relationship, with the owner's entity number
  /// before the relationship's name.
  private mutating func addOwner(
    of relationship: NSRelationshipDescription, in node: EntityTree.Node, ifRowsAreOf root: Int
  ) throws(StoreError) {
    let destination = tree.nodes[try tree.destination(of: relationship, in: node)]
    guard destination.root == root else { return }
    let name = "\(node.number)\(try baseName(of: relationship, in: node))"
    let key = append("Z\(name)", .integer, .integer)
    let entityColumn =
      node.children.isEmpty ? nil : appendOptional("Z\(node.number)_\(name)", .integer)
    let order = relationship.isOrdered ? append("Z_FOK_\(name)", .integer, .order) : nil
    ownerColumns.append(
      OwnerColumn(
        relationship: relationship, ownerNumber: node.number, memberNumber: destination.number,
        column: PropertyColumn(
          name: key, kind: .integer, entityColumn: entityColumn, orderColumn: order)))
  }

  // MARK: Attributes

  private mutating func column(
    of attribute: NSAttributeDescription, in node: EntityTree.Node
  ) throws(StoreError) -> PropertyColumn {
    if let composite = attribute as? NSCompositeAttributeDescription {
      let leaves = try leaves(of: composite, attribute: composite.name, path: [], in: node)
      guard !leaves.isEmpty else {
        throw refusal(
          of: composite, in: node, "is composite and has no elements. Give it at least one.")
      }
      return PropertyColumn(name: "", kind: .blob, leaves: leaves)
    }
    let storage = try storage(of: attribute, in: node)
    return PropertyColumn(
      name: append("Z\(try baseName(of: attribute, in: node))", storage.kind, storage.group),
      kind: storage.kind)
  }

  private mutating func leaves(
    of composite: NSCompositeAttributeDescription, attribute: String, path: [String],
    in node: EntityTree.Node
  ) throws(StoreError) -> [CompositeLeaf] {
    var leaves: [CompositeLeaf] = []
    let elements = composite.elements.filter { !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for element in elements {
      let elementPath = path + [element.name]
      if let inner = element as? NSCompositeAttributeDescription {
        leaves += try self.leaves(of: inner, attribute: attribute, path: elementPath, in: node)
      } else {
        guard !element.needsEncoding else {
          throw refusal(
            of: element, in: node,
            "is an element, which can be neither transformable nor external.")
        }
        let storage = try storage(of: element, in: node)
        _ = try baseName(of: element, in: node)
        let name = append(
          basis.leafNaming.columnName(attribute: attribute, path: elementPath), storage.kind,
          storage.group)
        leaves.append(
          CompositeLeaf(path: elementPath, attribute: element, name: name, kind: storage.kind))
      }
    }
    return leaves
  }

  private func storage(
    of attribute: NSAttributeDescription, in node: EntityTree.Node
  ) throws(StoreError) -> (kind: ColumnKind, group: Group) {
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType:
      (.integer, .integer)
    case .dateAttributeType: (.timestamp, .floating)
    case .doubleAttributeType, .floatAttributeType: (.float, .floating)
    case .decimalAttributeType: (.decimal, .decimal)
    case .stringAttributeType: (.varchar, .string)
    case .URIAttributeType: (.varchar, .uri)
    case .UUIDAttributeType: (.blob, .uuid)
    case .transformableAttributeType: (.blob, .transformable)
    case .binaryDataAttributeType: (.blob, .binary)
    case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType:
      throw refusal(
        of: attribute, in: node,
        "has a type that no store can keep. Make it transient, or choose a type.")
    }
  }

  // MARK: Names

  private mutating func append(_ name: String, _ kind: ColumnKind, _ group: Group) -> String {
    let planned = names.unique(name)
    let unique = namesInFile[planned] ?? planned
    sequence.append((TableColumn(name: unique, kind: kind), group))
    return unique
  }

  /// Adds a column unless the file lacks it.
  private mutating func appendOptional(_ name: String, _ kind: ColumnKind) -> String? {
    absent.contains(name) ? nil : append(name, kind, .integer)
  }

  private func baseName(of property: NSPropertyDescription, in node: EntityTree.Node)
    throws(StoreError) -> String
  {
    guard isIdentifier(property.name) else {
      throw refusal(
        of: property, in: node,
        "cannot be the name of a column. Use letters, digits and underscores.")
    }
    return property.name.uppercased()
  }

  private func refusal(
    of property: NSPropertyDescription, in node: EntityTree.Node, _ reason: String
  ) -> StoreError {
    StoreError(
      .incompatibleSchema, "The property \(node.name).\(property.name) \(reason)",
      context: ["entity": node.name, "property": property.name])
  }
}

extension NSAttributeDescription {
  /// Whether the attribute's values are transformed, or may be stored in files.
  fileprivate var needsEncoding: Bool {
    attributeType == .transformableAttributeType
      || attributeType == .binaryDataAttributeType && allowsExternalBinaryDataStorage
  }
}

extension EntityTree {
  /// Returns the destination entity of a relationship.
  ///
  /// - Throws: An error if the relationship has no destination entity, or if the store's
  ///   configuration omits that entity.
  func destination(of relationship: NSRelationshipDescription, in node: Node) throws(StoreError)
    -> Int
  {
    guard let destination = relationship.destinationEntity else {
      throw StoreError(
        .incompatibleSchema,
        "The relationship \(node.name).\(relationship.name) has no destination entity.",
        context: ["entity": node.name, "property": relationship.name])
    }
    let index = nodes.firstIndex { $0.layout.entity === destination || $0.name == destination.name }
    guard let index else {
      throw StoreError(
        .incompatibleSchema,
        """
        The relationship \(node.name).\(relationship.name) leads to \
        \(destination.name ?? "an entity without a name"), which is not in the store's \
        configuration. Add it to the configuration, or use a fetched property.
        """,
        context: [
          "entity": node.name, "property": relationship.name, "destination": destination.name ?? "",
        ])
    }
    return index
  }
}
