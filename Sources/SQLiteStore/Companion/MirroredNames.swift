import ManagedObjectModel
import ObjectRows
import SQLiteDriver

/// Migrates the table in which a companion numbers the names of a model.
///
/// `PHM_NAME` has the columns `kind`, `owner`, `number` and `name`:
///
/// | kind | the name of | owner |
/// |---|---|---|
/// | 0 | an entity | 0 |
/// | 1 | a property of an entity, which may be inherited | the entity's number |
/// | 2 | one direction of a many-to-many relationship | the number of the declaring entity |
///
/// A number keeps its meaning. A migration gives it the new name, or none if the model no longer
/// has the entity or property. The companion decides what follows from that.
struct MirroredNames {
  let mapping: MigrationMapping

  private static let entities: Int64 = 0

  /// A row of the table.
  private struct Name {
    let kind: Int64
    let owner: Int64
    let number: Int64
    let text: String
  }

  /// Applies the migration's renames; does nothing if the file has no such table.
  ///
  /// All changed names are removed before any gets its new text, so two of them can be exchanged.
  func migrate(on connection: Connection, _ file: FileSchema) throws(SQLiteError) {
    guard file.has("name", in: "PHM_NAME") else { return }
    let names = try names(connection)
    let destinations = Dictionary(
      mapping.destination.entities.compactMap { entity in
        mapping.source(of: entity).map { ($0.name, entity) }
      },
      uniquingKeysWith: { first, _ in first })
    let entities = names.filter { $0.kind == Self.entities }
    let properties = Dictionary(
      entities.map { ($0.number, destinations[$0.text].map(propertyNames) ?? [:]) },
      uniquingKeysWith: { first, _ in first })
    let changes = names.compactMap { name -> (Name, to: String?)? in
      let text =
        name.kind == Self.entities
        ? destinations[name.text]?.name : properties[name.owner]?[name.text]
      return text == name.text ? nil : (name, text)
    }
    for (name, _) in changes { try set(nil, for: name, connection) }
    for (name, text) in changes where text != nil { try set(text, for: name, connection) }
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

  private func names(_ connection: Connection) throws(SQLiteError) -> [Name] {
    try connection.rows("SELECT kind, owner, number, name FROM PHM_NAME").compactMap { row in
      guard case .integer(let kind) = row[0], case .integer(let owner) = row[1],
        case .integer(let number) = row[2], case .text(let text) = row[3]
      else { return nil }
      return Name(kind: kind, owner: owner, number: number, text: text)
    }
  }

  private func set(_ text: String?, for name: Name, _ connection: Connection) throws(SQLiteError) {
    try connection.run(
      "UPDATE PHM_NAME SET name = ? WHERE kind = ? AND owner = ? AND number = ?",
      [
        text.map(Value.text) ?? .null, .integer(name.kind), .integer(name.owner),
        .integer(name.number),
      ])
  }
}
