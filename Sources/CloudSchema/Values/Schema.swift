/// The record types of a container in one environment, and the roles that they grant permissions
/// to.
///
/// A value: what is learnt or imported makes another. Nothing in it has an order of its own;
/// whatever is listed comes in the order of names, so that equal schemas print alike.
package struct Schema: Hashable, Sendable {
  /// Roles that the schema creates, beside those of `SystemRole`.
  package var roles: Set<String> = []
  private var typesByName: [String: RecordTypeDefinition] = [:]

  package init() {}

  /// What a container begins with, in both environments.
  package static let initial: Schema = {
    var schema = Schema()
    schema.define(SystemType.users.definition)
    return schema
  }()

  package var typeCount: Int { typesByName.count }

  /// The types that were defined, in the order of their names.
  package var types: [RecordTypeDefinition] { typesByName.values.sorted { $0.name < $1.name } }

  /// A type that was defined, or that every schema has.
  package subscript(type name: String) -> RecordTypeDefinition? {
    typesByName[name] ?? SystemType(rawValue: name)?.definition
  }

  /// Whether the schema itself defines a type.
  package func defines(type name: String) -> Bool { typesByName[name] != nil }

  /// Defines a type, or defines it anew.
  package mutating func define(_ type: RecordTypeDefinition) { typesByName[type.name] = type }

  /// The schema without a type that it defines; nil where it does not.
  package func without(type name: String) -> Schema? {
    guard defines(type: name) else { return nil }
    var schema = self
    schema.typesByName[name] = nil
    return schema
  }

  /// The schema without a field that one of its types defines; nil where it does not.
  package func without(field: String, of name: String) -> Schema? {
    guard let type = typesByName[name]?.without(field: field) else { return nil }
    var schema = self
    schema.define(type)
    return schema
  }
}
