package import CloudRecords

/// A record type: its fields, the indexes of its system fields, and its permissions in the public
/// database.
package struct RecordTypeDefinition: Hashable, Sendable {
  package let name: String
  private var fieldsByName: [String: FieldDefinition] = [:]
  private var indexesOfSystemFields: [SystemField: FieldIndexes] = [:]
  package var grants: RoleGrants

  package init(name: String, grants: RoleGrants = RoleGrants()) {
    self.name = name
    self.grants = grants
  }

  /// Creates a type that development learns, without fields.
  package static func learned(name: String) -> RecordTypeDefinition {
    var type = RecordTypeDefinition(name: name, grants: .ofNewTypes)
    for field in SystemField.allCases { type[indexesOf: field] = field.learnedIndexes }
    return type
  }

  package var fieldCount: Int { fieldsByName.count }

  /// The defined fields, ordered by name.
  package var fields: [FieldDefinition] { fieldsByName.values.sorted { $0.name < $1.name } }

  package subscript(field name: String) -> FieldDefinition? { fieldsByName[name] }

  /// Defines a field, or replaces its definition.
  package mutating func define(_ field: FieldDefinition) { fieldsByName[field.name] = field }

  /// Returns the type without a field, or nil if it has no such field.
  func without(field name: String) -> RecordTypeDefinition? {
    guard fieldsByName[name] != nil else { return nil }
    var type = self
    type.fieldsByName[name] = nil
    return type
  }

  package subscript(indexesOf field: SystemField) -> FieldIndexes {
    get { indexesOfSystemFields[field] ?? [] }
    set { indexesOfSystemFields[field] = newValue.isEmpty ? nil : newValue }
  }
}
