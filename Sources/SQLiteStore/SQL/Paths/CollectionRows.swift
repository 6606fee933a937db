import ManagedObjectModel

/// A SELECT over the elements of a collection.
struct CollectionRows {
  let select: Select
  /// The element's row.
  let element: RowSource
  /// The conditions that select the elements.
  var conditions: [SQLText]

  /// The text of the SELECT.
  func text(selecting columns: SQLText) -> SQLText {
    "(SELECT \(columns) FROM \(select.from) WHERE \(conditions.joined(by: " AND ")))"
  }

  /// Whether there is an element.
  var existence: SQLText { "EXISTS \(text(selecting: "1"))" }
}

extension QueryWriter {
  /// A SELECT over the elements of a collection, before the rest of its path.
  func rows(of collection: Collection, _ context: RowContext) throws(TranslationError) -> (
    CollectionRows, RowContext
  ) {
    guard let entity = try entity(of: collection.relationship) else {
      throw .unknownKeyPath(collection.path, of: collection.owner.entity.name)
    }
    var rows = try rows(of: collection, entity)
    var inner = context.inner(rows.select)
    for filter in collection.filters {
      inner.variables[filter.variable] = rows.element
      rows.conditions += try conjunction(filter.condition, inner)
      inner.variables = context.variables
    }
    return (rows, inner)
  }

  private func rows(of collection: Collection, _ entity: EntitySchema) throws(TranslationError)
    -> CollectionRows
  {
    let alias = nextAlias()
    switch collection.storage {
    case .foreignKey(let column, _):
      let select = Select(from: "\(entity.table) \(alias)")
      return CollectionRows(
        select: select, element: RowSource(entity, alias: alias, select: select),
        conditions: ["\(alias).\(column.name) = \(collection.owner.key)"])
    case .join(let table, let ownerColumn, let memberColumn, _):
      let select = Select(from: "\(table.name) \(alias)")
      let element = RowSource(
        entity, key: "\(alias).\(memberColumn)", select: select, isRequired: true)
      return CollectionRows(
        select: select, element: element,
        conditions: ["\(alias).\(ownerColumn) = \(collection.owner.key)"])
    }
  }

  /// The value of an element, or of the rest of the collection's path from the element.
  func elementValue(
    of collection: Collection, _ rows: CollectionRows, _ inner: RowContext
  ) throws(TranslationError) -> SQLValue {
    guard !collection.rest.contains(where: { $0.hasPrefix("@") }) else {
      throw .toMany(collection.path)
    }
    switch try target(of: collection.rest, from: rows.element, as: collection.path, inner) {
    case .value(let value): return value
    case .collection: throw .severalToMany(collection.path)
    }
  }

  /// The condition that a row owns an element whose key passes a test, such as `= ?`.
  ///
  /// It finds the owners of a few elements instead of testing every row.
  func ownership(of test: SQLText, in collection: Collection, _ entity: EntitySchema)
    throws(TranslationError)
    -> SQLText
  {
    let alias = nextAlias()
    switch collection.storage {
    case .foreignKey(let column, _):
      return """
        \(collection.owner.key) IN (SELECT \(alias).\(column.name) FROM \(entity.table) \(alias) \
        WHERE \(alias).Z_PK \(test) AND \(alias).\(column.name) IS NOT NULL)
        """
    case .join(let table, let ownerColumn, let memberColumn, _):
      return """
        \(collection.owner.key) IN (SELECT \(alias).\(ownerColumn) FROM \(table.name) \(alias) \
        WHERE \(alias).\(memberColumn) \(test))
        """
    }
  }
}
