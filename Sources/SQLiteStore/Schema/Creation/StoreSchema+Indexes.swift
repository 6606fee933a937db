import ManagedObjectModel
import ObjectRows

extension StoreSchema {
  /// The indexes of all tables.
  package var indexes: [IndexSchema] { tables.flatMap(indexes) }

  /// The indexes of a table and of its join tables, in the order of their creation.
  ///
  /// These are: one for every to-one relationship, one for the entity's number if several entities
  /// share the table, those of join tables, those that the entities declare, and those of
  /// uniqueness constraints.
  package func indexes(of table: TableSchema) -> [IndexSchema] {
    var indexes = table.keyColumns.map {
      IndexSchema(name: "\(table.name)_\($0)_INDEX", table: table.name, elements: [.plain($0)])
    }
    if table.entities.count > 1 {
      indexes.append(
        IndexSchema(
          name: "\(table.name)_Z_ENT_INDEX", table: table.name, elements: [.plain("Z_ENT")]))
    }
    indexes += table.joinTables.map(\.index)
    indexes += table.entities.flatMap(\.propertyIndexes)
    indexes += table.entities.flatMap { $0.fetchIndexes(in: self) }
    indexes += table.entities.flatMap(\.compoundIndexes)
    indexes += table.entities.flatMap(\.uniqueIndexes)
    var names: Set<String> = []
    return indexes.filter { names.insert($0.name).inserted }
  }
}

extension TableSchema {
  /// The columns of to-one relationships, and those of owners, in the order of the table.
  var keyColumns: [String] {
    let names = Set(
      entities.flatMap { entity in
        zip(entity.layout.properties, entity.columns).compactMap { property, column in
          property is NSRelationshipDescription ? column?.name : nil
        }
      } + ownerColumns.map(\.column.name))
    return columns.map(\.name).filter(names.contains)
  }
}

extension EntitySchema {
  /// Indexes of single attributes in the deprecated form.
  fileprivate var propertyIndexes: [IndexSchema] {
    let named = Set(entity.indexes.map(\.name))
    return entity.ownProperties.filter {
      $0.storedIsIndexed && $0 is NSAttributeDescription && !named.contains($0.name)
    }
    .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    .compactMap { property in index("Z_\(name)_\(property.name)", [property.name]) { .ordered($0) }
    }
  }

  /// The indexes that the entity declares.
  ///
  /// An index of a single to-one relationship is left out, because every such relationship has an
  /// index anyway.
  ///
  /// Computed values and conditions are included if SQLite's own operators can express them; see
  /// `IndexText`.
  fileprivate func fetchIndexes(in schema: StoreSchema) -> [IndexSchema] {
    let text = IndexText(SchemaCondition(schema: schema, entity: self))
    return entity.indexes.filter { !$0.isSpatial && !$0.isOfRelationshipAlone }.compactMap {
      description in
      let elements = description.elements.compactMap(text.element)
      guard !elements.isEmpty, elements.count == description.elements.count else { return nil }
      return IndexSchema(
        name: "Z_\(name)_\(description.name)", table: table, elements: elements,
        condition: description.partialIndexPredicate.flatMap(text.condition))
    }
  }

  /// Compound indexes in the deprecated form, if the entity does not declare them in the new form
  /// too.
  fileprivate var compoundIndexes: [IndexSchema] {
    let declared = Set(entity.indexes.map { $0.elements.map(\.propertyName) })
    return entity.compoundIndexNames.filter { !declared.contains($0) }.compactMap { names in
      let columns = names.compactMap(columnName)
      return index(([table] + columns).joined(separator: "_"), names) { .plain($0) }
    }
  }

  fileprivate var uniqueIndexes: [IndexSchema] {
    entity.uniquenessConstraintNames.compactMap { names in
      var unique = index("Z_\(name)_UNIQUE_\(names.joined(separator: "_"))", names) { .ordered($0) }
      unique?.isUnique = true
      return unique
    }
  }

  private func index(
    _ name: String, _ properties: [String], element: (String) -> IndexSchema.Element
  ) -> IndexSchema? {
    let columns = properties.compactMap(columnName)
    guard !columns.isEmpty, columns.count == properties.count else { return nil }
    return IndexSchema(
      name: name.replacing(".", with: "_"), table: table, elements: columns.map(element))
  }

  /// The column of a property, or of an element of a composite attribute, named by its key path.
  package func columnName(of keyPath: String) -> String? {
    var path = keyPath.split(separator: ".").map(String.init)
    guard !path.isEmpty, let column = column(named: path.removeFirst()) else { return nil }
    if path.isEmpty { return column.isComposite ? nil : column.name }
    return column.leaves.first { $0.path == path }?.name
  }
}

extension NSFetchIndexDescription {
  /// Whether it is an R-tree index.
  var isSpatial: Bool { elements.contains { $0.collationType == .rTree } }

  fileprivate var isOfRelationshipAlone: Bool {
    elements.count == 1 && elements[0].property is NSRelationshipDescription
  }
}
