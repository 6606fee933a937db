/// The record types of a container in one environment, and their roles.
///
/// A schema is a value: changing it does not affect copies. Lists are ordered by name, so equal
/// schemas print alike.
package struct Schema: Hashable, Sendable {
  /// Roles that the schema creates, in addition to those of `SystemRole`.
  package var roles: Set<String> = []
  private var typesByName: [String: RecordTypeDefinition] = [:]

  package init() {}

  /// The initial schema of a container, in both environments.
  package static let initial: Schema = {
    var schema = Schema()
    schema.define(SystemType.users.definition)
    return schema
  }()

  package var typeCount: Int { typesByName.count }

  /// The defined types, ordered by name.
  package var types: [RecordTypeDefinition] { typesByName.values.sorted { $0.name < $1.name } }

  /// A type that is defined or that every schema has.
  package subscript(type name: String) -> RecordTypeDefinition? {
    typesByName[name] ?? SystemType(rawValue: name)?.definition
  }

  /// Whether the schema itself defines a type.
  package func defines(type name: String) -> Bool { typesByName[name] != nil }

  /// Defines a type, or replaces its definition.
  package mutating func define(_ type: RecordTypeDefinition) { typesByName[type.name] = type }

  /// Returns the schema without a type, or nil if it does not define the type.
  package func without(type name: String) -> Schema? {
    guard defines(type: name) else { return nil }
    var schema = self
    schema.typesByName[name] = nil
    return schema
  }

  /// Returns the schema without a field of a type, or nil if it does not define the field.
  package func without(field: String, of name: String) -> Schema? {
    guard let type = typesByName[name]?.without(field: field) else { return nil }
    var schema = self
    schema.define(type)
    return schema
  }
}
