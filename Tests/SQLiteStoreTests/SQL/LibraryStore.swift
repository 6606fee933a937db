import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import Testing

/// A value in SQLite.
typealias StoredValue = SQLiteDriver.Value

/// A database in memory with the library's tables and rows, and the same rows as objects.
final class LibraryStore {
  let schema: StoreSchema
  let translator: FetchTranslator
  let identity = StoreIdentity(uuid: "0E0C6C2A-8BE8-4E6C-9F56-5C6C1A3B0F11")
  let connection: Connection
  private(set) var objects: [LibraryObject] = []
  private var lastKeys: [String: Int64] = [:]

  init() throws {
    schema = try StoreSchema(layouts: Library.makeLayouts(), configuration: nil)
    translator = FetchTranslator(schema: schema, identity: identity)
    connection = try Connection(.memory)
    try connection.registerFetchFunctions(locale: Locale(identifier: "en_US"))
    for statement in try schema.creationStatements() { try connection.execute(statement) }
  }

  // Related objects retain each other.
  deinit { for object in objects { object.values = [:] } }

  // MARK: Rows

  /// A new object; `write` puts it into the database.
  func add(_ entityName: String, _ values: [String: Any] = [:]) throws -> LibraryObject {
    let entity = try #require(schema.entity(named: entityName))
    let key = lastKeys[entity.table, default: 0] + 1
    lastKeys[entity.table] = key
    let object = LibraryObject(
      NSManagedObjectID(layout: entity.layout, key: key, storeIdentity: identity))
    object.values = values
    objects.append(object)
    return object
  }

  /// Relates two objects in both directions.
  func relate(_ one: LibraryObject, _ name: String, _ other: LibraryObject) throws {
    let relationship = try #require(one.entity.relationshipsByName[name])
    join(one, relationship, other)
    if let inverse = relationship.inverseRelationship { join(other, inverse, one) }
  }

  private func join(
    _ one: LibraryObject, _ relationship: NSRelationshipDescription, _ other: LibraryObject
  ) {
    guard relationship.isToMany else { return one.values[relationship.name] = other }
    let members = one.members(relationship.name)
    if !members.contains(other) { one.values[relationship.name] = members + [other] }
  }

  /// Writes all objects.
  func write() throws {
    try connection.transaction {
      for object in objects { try write(object) }
    }
  }

  private func write(_ object: LibraryObject) throws {
    let entity = try #require(schema.entity(object.layout))
    var columns: [(String, StoredValue)] = [
      ("Z_PK", .integer(object.key)), ("Z_ENT", .integer(Int64(entity.number))), ("Z_OPT", 1),
    ]
    for (ordinal, property) in object.layout.properties.enumerated() {
      if let column = entity.columns[ordinal] {
        columns += try stored(object.values[property.name], column, property)
      } else if case .join(let table, let owner, let member, _) = entity.toMany[ordinal] {
        for other in object.members(property.name) {
          try connection.run(
            "INSERT OR REPLACE INTO \(table.name)(\(owner), \(member)) VALUES (?, ?)",
            [.integer(object.key), .integer(other.key)])
        }
      }
    }
    let names = columns.map(\.0).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try connection.run("INSERT INTO \(entity.table)(\(names)) VALUES (\(marks))", columns.map(\.1))
  }

  private func stored(
    _ value: Any?, _ column: PropertyColumn, _ property: NSPropertyDescription
  ) throws -> [(String, StoredValue)] {
    if let other = value as? LibraryObject {
      let number = try #require(schema.entity(other.layout)).number
      return [(column.name, .integer(other.key))]
        + (column.entityColumn.map { [($0, .integer(Int64(number)))] } ?? [])
    }
    if column.isComposite {
      let elements = value as? [String: Any] ?? [:]
      return try column.leaves.map {
        ($0.name, try StoredValue(stored: elements[$0.path[0]], $0.attribute))
      }
    }
    guard let attribute = property as? NSAttributeDescription else { return [] }
    return [(column.name, try StoredValue(stored: value, attribute))]
  }

  // MARK: Fetches

  /// A fetch of an entity.
  func fetch(_ entityName: String, _ predicate: NSPredicate? = nil) throws -> RowFetch {
    var specification = FetchSpecification()
    specification.predicate = predicate
    return RowFetch(
      layout: try #require(schema.layouts[named: entityName]), specification: specification)
  }

  /// The keys that a fetch finds, in the fetch's order if it has one.
  func keys(_ fetch: RowFetch) throws -> [Int64] {
    let translated = try translator.keys(fetch)
    var statement = try connection.prepare(translated)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.row.int64(at: 1)) }
    return translated.isOrdered ? keys : keys.sorted()
  }

  func keys(_ entityName: String, _ format: String, _ arguments: [Any] = []) throws -> [Int64] {
    try keys(fetch(entityName, NSPredicate(format: format, argumentArray: arguments)))
  }

  /// The dictionaries that a fetch finds.
  func dictionaries(_ fetch: RowFetch) throws -> [[String: Any]] {
    let translated = try translator.dictionaries(fetch)
    let reader = DictionaryReader(columns: translated.columns, schema: schema, identity: identity)
    var statement = try connection.prepare(translated.statement)
    var dictionaries: [[String: Any]] = []
    while try statement.step() { dictionaries.append(reader.dictionary(from: statement.row)) }
    return dictionaries
  }

  /// The objects of an entity and its subentities.
  func objects(of entityName: String) -> [LibraryObject] {
    objects.filter { object in object.entity.lineage.contains { $0.name == entityName } }
  }
}

extension StoredValue {
  /// A value in its stored form.
  fileprivate init(stored value: Any?, _ attribute: NSAttributeDescription) throws {
    let isTagged = attribute.allowsExternalBinaryDataStorage
    switch value {
    case nil: self = .null
    case let value as Bool where attribute.attributeType == .booleanAttributeType:
      self = .integer(value ? 1 : 0)
    case let value as Int:
      self = attribute.kindIsReal ? .real(Double(value)) : .integer(Int64(value))
    case let value as Double: self = .real(value)
    case let value as Decimal: self = .real(try #require(Double(value.description)))
    case let value as String: self = .text(value)
    case let value as Date: self = .real(value.timeIntervalSinceReferenceDate)
    case let value as URL: self = .text(value.absoluteString)
    case let value as UUID: self = .blob(Swift.withUnsafeBytes(of: value.uuid) { Array($0) })
    case let value as Data: self = .blob((isTagged ? [1] : []) + [UInt8](value))
    default: throw SQLiteError(code: .misuse, message: "no form for \(String(describing: value))")
    }
  }
}

extension NSAttributeDescription {
  fileprivate var kindIsReal: Bool {
    attributeType == .doubleAttributeType || attributeType == .floatAttributeType
  }
}
