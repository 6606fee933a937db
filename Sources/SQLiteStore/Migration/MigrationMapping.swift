import ManagedObjectModel
import ObjectRows

/// Maps entities and properties of a newer schema to those of an older one.
///
/// They are matched by name, or by renaming identifier. Inherited properties are searched too, so
/// that a property may move within a hierarchy.
struct MigrationMapping {
  let source: StoreSchema
  let destination: StoreSchema
  private let sources: [ObjectIdentifier: EntitySchema]
  /// The new number of each remaining entity, by the old number.
  let numbers: [Int: Int]
  /// The old numbers of removed entities.
  let removedNumbers: [Int]
  private let properties: [ObjectIdentifier: [Int?]]

  init(from source: StoreSchema, to destination: StoreSchema) {
    self.source = source
    self.destination = destination
    let entities = Correspondence(
      from: source.entities.map(\.entity), to: destination.entities.map(\.entity),
      name: { $0.name ?? "" },
      identifier: \.storedRenamingIdentifier)
    var sources: [ObjectIdentifier: EntitySchema] = [:]
    var numbers: [Int: Int] = [:]
    var properties: [ObjectIdentifier: [Int?]] = [:]
    for entity in destination.entities {
      guard let former = entities.source(of: entity.entity)?.name.flatMap(source.entity(named:))
      else { continue }
      sources[ObjectIdentifier(entity)] = former
      numbers[former.number] = entity.number
      properties[ObjectIdentifier(entity)] = Self.ordinals(from: former.layout, to: entity.layout)
    }
    self.sources = sources
    self.numbers = numbers
    self.properties = properties
    removedNumbers = source.entities.map(\.number).filter { numbers[$0] == nil }
  }

  private static func ordinals(from source: RowLayout, to destination: RowLayout) -> [Int?] {
    let found = Correspondence(
      from: source.properties, to: destination.properties, name: \.name,
      identifier: \.storedRenamingIdentifier)
    return destination.properties.map { property in
      found.source(of: property).flatMap { former in source.properties.firstIndex { $0 === former }
      }
    }
  }

  /// The former entity, or nil if the entity is new.
  func source(of entity: EntitySchema) -> EntitySchema? { sources[ObjectIdentifier(entity)] }

  /// The ordinal of the former property in the former entity; nil if the property is new.
  func sourceOrdinal(of ordinal: Int, in entity: EntitySchema) -> Int? {
    properties[ObjectIdentifier(entity)]?[ordinal]
  }

  /// Whether the rows of one older table go to several newer tables.
  ///
  /// A reference may then name a row that has left the table of the relationship's destination.
  var splitsTables: Bool {
    var tables: [String: Set<String>] = [:]
    for entity in destination.entities {
      guard let former = source(of: entity) else { continue }
      tables[former.table, default: []].insert(entity.table)
    }
    return tables.values.contains { $0.count > 1 }
  }

  /// The mapping, one line for each entity, for the log.
  var transcript: [String] {
    let removed = source.entities.filter { removedNumbers.contains($0.number) }
    return destination.entities.map(line)
      + removed.map { "\($0.name) is removed, with its objects" }
  }

  private func line(_ entity: EntitySchema) -> String {
    guard let former = self.source(of: entity) else { return "\(entity.name) is new" }
    let parts = properties(entity, former)
    let name = former.name == entity.name ? entity.name : "\(entity.name) was \(former.name)"
    return parts.isEmpty
      ? "\(name): no property comes or goes" : "\(name): \(parts.joined(separator: ", "))"
  }

  private func properties(_ entity: EntitySchema, _ former: EntitySchema) -> [String] {
    let names = entity.layout.properties.map(\.name)
    let ordinals = names.indices.map { sourceOrdinal(of: $0, in: entity) }
    let kept = Set(ordinals.compactMap { $0 })
    let changes = zip(names, ordinals).compactMap { name, ordinal -> String? in
      guard let ordinal else { return "\(name) is new" }
      let old = former.layout.properties[ordinal].name
      return old == name ? nil : "\(name) was \(old)"
    }
    let gone = former.layout.properties.indices.filter { !kept.contains($0) }
    return changes + gone.map { "\(former.layout.properties[$0].name) goes" }
  }

  /// The SQL expression for an entity's new number, from the expression for the old one.
  func renumbered(_ term: String, among old: [Int]) -> String {
    let changed = old.filter { numbers[$0] != $0 }
    guard !changed.isEmpty else { return term }
    let cases = old.compactMap { number in numbers[number].map { "WHEN \(number) THEN \($0)" } }
    return cases.isEmpty ? "NULL" : "CASE \(term) \(cases.joined(separator: " ")) END"
  }
}
