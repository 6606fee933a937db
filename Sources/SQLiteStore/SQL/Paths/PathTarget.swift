import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The target of a key path.
enum PathTarget {
  case value(SQLValue)
  case collection(Collection)
}

/// The elements of a to-many relationship of one row, or the values of a path from them.
struct Collection {
  /// The original path, for messages.
  let path: String
  let owner: RowSource
  let relationship: NSRelationshipDescription
  let storage: ToManyStorage
  /// The path after the relationship.
  var rest: ArraySlice<String>
  /// The conditions of the enclosing subqueries, innermost first.
  var filters: [(variable: String, condition: Condition)] = []
}

extension QueryWriter {
  /// The row that a path starts at.
  func source(of root: PathRoot, _ context: RowContext) throws(TranslationError) -> RowSource {
    guard case .variable(let name) = root else { return context.object }
    guard let source = context.variables[name] else {
      throw .unsupported(
        "the variable $\(name) has no value", "Give it one by withSubstitutionVariables(_:).")
    }
    return source
  }

  /// Returns the target of a path from a row.
  func target(
    of path: ArraySlice<String>, from source: RowSource, as text: String, _ context: RowContext
  ) throws(TranslationError) -> PathTarget {
    guard let key = path.first else { return .value(keyValue(of: source)) }
    let rest = path.dropFirst()
    if let property = try property(key, of: source.entity) {
      return try target(of: property, rest, from: source, as: text, context)
    }
    switch key {
    case "self", "SELF": return try target(of: rest, from: source, as: text, context)
    case "objectID" where rest.isEmpty: return .value(keyValue(of: source))
    case "entity" where rest.isEmpty: return .value(entityValue(of: source, .entity, context))
    case "entity" where Array(rest) == ["name"]:
      return .value(entityValue(of: source, .entityName, context))
    default: throw .unknownKeyPath(text, of: source.entity.name)
    }
  }

  private func target(
    of property: StoredProperty, _ rest: ArraySlice<String>, from source: RowSource,
    as text: String,
    _ context: RowContext
  ) throws(TranslationError) -> PathTarget {
    switch property.description {
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      guard let storage = property.entity.toMany[property.ordinal] else {
        throw .unknownKeyPath(text, of: source.entity.name)
      }
      return .collection(
        Collection(
          path: text, owner: source, relationship: relationship, storage: storage, rest: rest))
    case let relationship as NSRelationshipDescription:
      let destination = try destination(of: relationship, property, from: source, as: text, context)
      return try target(of: rest, from: destination, as: text, context)
    case let attribute as NSAttributeDescription:
      return .value(try value(of: attribute, property, rest, from: source, as: text, context))
    default: throw .unknownKeyPath(text, of: source.entity.name)
    }
  }

  /// The destination row of a to-one relationship.
  func destination(
    of relationship: NSRelationshipDescription, _ property: StoredProperty, from source: RowSource,
    as text: String,
    _ context: RowContext
  ) throws(TranslationError) -> RowSource {
    guard let column = property.column, let entity = try entity(of: relationship) else {
      throw .unknownKeyPath(text, of: source.entity.name)
    }
    let alias = alias(of: source, context)
    let key = "\(alias).\(column.name)"
    return source.destination(at: column.name) {
      RowSource(
        entity, key: key,
        entityNumber: entityNumber(
          of: entity, key: key, column.entityColumn.map { "\(alias).\($0)" }),
        select: source.select, origin: source)
    }
  }

  /// The SQL for the entity number of a relationship's destination.
  private func entityNumber(of entity: EntitySchema, key: String, _ column: String?) -> String {
    if let column { return column }
    if entity.subtreeNumbers.count == 1 { return "\(entity.number)" }
    return "(SELECT Z_ENT FROM \(entity.table) WHERE Z_PK = \(key))"
  }

  /// The entity at the far end of a relationship.
  func entity(of relationship: NSRelationshipDescription) throws(TranslationError) -> EntitySchema?
  {
    relationship.destinationEntity.flatMap { schema.layouts[$0] }.flatMap(schema.entity)
  }

  /// The name of a row in the SQL.
  func alias(of source: RowSource, _ context: RowContext) -> String {
    source.alias(isRequired: context.isRequired(source), next: nextAlias)
  }

  // MARK: Keys and numbers

  /// The key of a row.
  func keyValue(of source: RowSource) -> SQLValue {
    let layout = source.entity.layout
    return SQLValue(
      text: SQLText(source.key), kind: .key(layout: layout.index, root: layout.rootIndex),
      isColumn: true,
      entityNumber: source.knownEntityNumber.map { SQLText($0) })
  }

  private func entityValue(of source: RowSource, _ kind: ValueKind, _ context: RowContext)
    -> SQLValue
  {
    SQLValue(text: "\(alias(of: source, context)).Z_ENT", kind: kind, isColumn: true)
  }
}
