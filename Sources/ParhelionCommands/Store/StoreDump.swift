import Foundation
import ManagedObjectModel
import ObjectRows
import SQLiteDriver
import SQLiteStore

/// The rows of a store, entity by entity.
protocol DumpSource {
  /// The names of the entities, in the order of the dump.
  var entityNames: [String] { get }

  /// Reads all rows of an entity, without those of its subentities, in the order of their keys.
  func forEachRow(of entity: String, _ body: (DumpedRow) throws -> Void) throws
}

/// A row as a dump shows it; its values are JSON text.
struct DumpedRow {
  let key: Int64
  let entity: String
  let version: Int64
  /// The values, in named groups: attributes and relationships, or columns if no model is known.
  let groups: [(name: String, values: [(key: String, value: String)])]

  var json: String {
    JSONText.object(
      [("pk", "\(key)"), ("entity", JSONText.string(entity)), ("version", "\(version)")]
        + groups.map { ($0.name, JSONText.object($0.values)) })
  }

  /// The row as text, with a line for each property that has a value.
  var text: String {
    let shown = groups.flatMap(\.values).filter { $0.value != "null" && $0.value != "[]" }
    return (["  \(entity) \(key), version \(version)"] + shown.map { "    \($0.key): \($0.value)" })
      .joined(separator: "\n")
  }
}

/// The rows of a store, as its model describes them.
struct StoreDump: DumpSource {
  let subject: StoreCommands.Subject
  let values: DumpedValue

  init(_ subject: StoreCommands.Subject, isForReading: Bool, report: @escaping (String) -> Void) {
    self.subject = subject
    values = DumpedValue(
      isForReading: isForReading, externalFolder: subject.snapshot.location.externalDataFolder,
      report: report)
  }

  var entityNames: [String] {
    subject.schema.entities.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func forEachRow(of name: String, _ body: (DumpedRow) throws -> Void) throws {
    guard let entity = subject.schema.entity(named: name) else { return }
    let connection = subject.snapshot.connection
    let names = columnNames(of: entity)
    let places = Dictionary(
      names.enumerated().map { ($1, $0 + 2) }, uniquingKeysWith: { first, _ in first })
    let cursors = try entity.layout.properties.indices.compactMap { ordinal in
      try MemberCursor(ordinal: ordinal, of: entity, in: subject.schema, connection)
    }
    var statement = try connection.prepare(
      "SELECT \((["Z_PK", "Z_OPT"] + names).joined(separator: ", ")) FROM \(entity.table) WHERE Z_ENT = \(entity.number) ORDER BY Z_PK"
    )
    while try statement.step() {
      let row = statement.row.values
      let value = { (name: String) in places[name].map { row[$0] } ?? .null }
      let key = statement.row.int64(at: 0)
      let toMany = try cursors.map { cursor in
        (cursor.name, JSONText.array(try cursor.members(of: key).map { "\($0)" }))
      }
      let relationships = (toOne(of: entity, value) + toMany).sorted {
        $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
      }
      try body(
        DumpedRow(
          key: key, entity: entity.name, version: statement.row.int64(at: 1),
          groups: [
            ("attributes", attributes(of: entity, value)),
            ("relationships", relationships.map { (key: $0.0, value: $0.1) }),
          ]))
    }
  }

  private func columnNames(of entity: EntitySchema) -> [String] {
    entity.columns.compactMap { $0 }.flatMap { $0.isComposite ? $0.leaves.map(\.name) : [$0.name] }
  }

  private func attributes(of entity: EntitySchema, _ value: (String) -> Value) -> [(
    key: String, value: String
  )] {
    zip(entity.layout.properties, entity.columns).compactMap { property, column in
      guard let attribute = property as? NSAttributeDescription, let column else { return nil }
      let text =
        column.isComposite
        ? composite(column.leaves, depth: 0, value) : values.json(value(column.name), of: attribute)
      return (attribute.name, text)
    }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// The elements of a composite attribute, as nested JSON objects.
  private func composite(_ leaves: [CompositeLeaf], depth: Int, _ value: (String) -> Value)
    -> String
  {
    var members: [(key: String, value: String)] = []
    for leaf in leaves where !members.contains(where: { $0.key == leaf.path[depth] }) {
      let same = leaves.filter { $0.path[depth] == leaf.path[depth] }
      let isLast = leaf.path.count == depth + 1
      let text =
        isLast
        ? values.json(value(leaf.name), of: leaf.attribute)
        : composite(same, depth: depth + 1, value)
      members.append((leaf.path[depth], text))
    }
    return JSONText.object(members)
  }

  private func toOne(of entity: EntitySchema, _ value: (String) -> Value) -> [(String, String)] {
    zip(entity.layout.properties, entity.columns).compactMap { property, column in
      guard property is NSRelationshipDescription, let column else { return nil }
      if case .integer(let key) = value(column.name) { return (property.name, "\(key)") }
      return (property.name, "null")
    }
  }
}
