package import CloudRecords

/// A type of records: its fields, the indexes of the fields that every record has, and who may do
/// what in public.
package struct RecordTypeDefinition: Hashable, Sendable {
  package let name: String
  private var fieldsByName: [String: FieldDefinition] = [:]
  private var indexesOfSystemFields: [SystemField: FieldIndexes] = [:]
  package var grants: RoleGrants

  package init(name: String, grants: RoleGrants = RoleGrants()) {
    self.name = name
    self.grants = grants
  }

  /// A type as development learns it, before its fields.
  package static func learnt(name: String) -> RecordTypeDefinition {
    var type = RecordTypeDefinition(name: name, grants: .ofNewTypes)
    for field in SystemField.allCases { type[indexesOf: field] = field.learntIndexes }
    return type
  }

  package var fieldCount: Int { fieldsByName.count }

  /// The fields that were defined, in the order of their names.
  package var fields: [FieldDefinition] { fieldsByName.values.sorted { $0.name < $1.name } }

  package subscript(field name: String) -> FieldDefinition? { fieldsByName[name] }

  /// Defines a field, or defines it anew.
  package mutating func define(_ field: FieldDefinition) { fieldsByName[field.name] = field }

  /// The type without a field; nil where it has none of the name.
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
