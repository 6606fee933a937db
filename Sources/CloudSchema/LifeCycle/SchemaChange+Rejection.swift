extension SchemaChange {
  /// The reason why production rejects the step, or nil if production accepts it.
  var rejectionByProduction: String? {
    switch self {
    case .removeRole(let role): "The role '\(role)' is in production and would be removed."
    case .removeType(let type):
      "The record type '\(type.name)' is in production and would be removed with its records."
    case .removeField(let field, let type):
      "The field '\(field.name)' in record '\(type)' is in production and would be removed with its values."
    case .changeDatatype(let field, let type, let old, let new):
      "The field '\(field)' in record '\(type)' is \(old.schemaText) in production and would become \(new.schemaText)."
    case .removeIndexes(let indexes, let field, let type):
      "The field '\(field.name)' in record '\(type)' is \(Self.listed(indexes.words)) in production and would no longer be."
    case .revoke(let permissions, let role, let type):
      "The role '\(role)' may \(Self.listed(permissions.words)) records of type '\(type)' in production and no longer could."
    case .addRole, .addType, .addField, .addIndexes, .grant: nil
    }
  }

  private static func listed(_ words: [String]) -> String { words.joined(separator: " and ") }
}
