import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// The tables in which a companion numbers the names of a model, as far as a migration uses them.
///
/// | table | columns |
/// |---|---|
/// | `PHM_ENTITY` | `number`, `name` |
/// | `PHM_PROPERTY` | `number`, `entity` (a number), `name`: all properties, including inherited |
/// | `PHM_RELATIONSHIP` | `number`, `entity`, `name`: only in the declaring entity |
///
/// A number keeps its meaning. A migration gives it the new name, or none if the model no longer
/// has the entity or property. The companion decides what follows from that.
struct MirroredNames {
  let mapping: MigrationMapping

  /// Applies the migration's renames; does nothing if the file has no such tables.
  func migrate(on connection: Connection, _ file: FileSchema) throws(SQLiteError) {
    guard file.has("name", in: "PHM_ENTITY") else { return }
    let entities = try named("SELECT number, name FROM PHM_ENTITY", connection)
    let destinations = Dictionary(
      mapping.destination.entities.compactMap { entity in
        mapping.source(of: entity).map { ($0.name, entity) }
      },
      uniquingKeysWith: { first, _ in first })
    try rename(entities, in: "PHM_ENTITY", connection) { destinations[$0]?.name }
    for (number, name) in entities {
      let names = destinations[name].map(propertyNames) ?? [:]
      for table in ["PHM_PROPERTY", "PHM_RELATIONSHIP"] {
        let properties = try named(
          "SELECT number, name FROM \(table) WHERE entity = \(number)", connection)
        try rename(properties, in: table, connection) { names[$0] }
      }
    }
  }

  /// The new names of an entity's properties, by the old ones.
  private func propertyNames(_ entity: EntitySchema) -> [String: String] {
    guard let former = mapping.source(of: entity) else { return [:] }
    var names: [String: String] = [:]
    for (ordinal, property) in entity.layout.properties.enumerated() {
      guard let source = mapping.sourceOrdinal(of: ordinal, in: entity) else { continue }
      names[former.layout.properties[source].name] = property.name
    }
    return names
  }

  private func named(_ sql: String, _ connection: Connection) throws(SQLiteError) -> [(
    number: Int64, name: String
  )] {
    try connection.rows(sql).compactMap { row in
      if case .integer(let number) = row[0], case .text(let name) = row[1] {
        (number, name)
      } else {
        nil
      }
    }
  }

  /// Renames entries in two steps, so that two of them can exchange their names: all lose the old
  /// name before any gets a new one.
  private func rename(
    _ rows: [(number: Int64, name: String)], in table: String, _ connection: Connection,
    to newName: (String) -> String?
  ) throws(SQLiteError) {
    let changed = rows.filter { newName($0.name) != $0.name }
    for row in changed {
      try connection.run("UPDATE \(table) SET name = NULL WHERE number = ?", [.integer(row.number)])
    }
    for row in changed {
      guard let name = newName(row.name) else { continue }
      try connection.run(
        "UPDATE \(table) SET name = ? WHERE number = ?", [.text(name), .integer(row.number)])
    }
  }
}
