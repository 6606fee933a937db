import CloudRecords

/// A development schema that takes another's place, and what that means.
package struct SchemaReplacement: Hashable, Sendable {
  /// The schema that development has from then on.
  package let schema: Schema
  /// The steps to it.
  package let difference: SchemaDifference

  init(of old: Schema, by new: Schema) {
    schema = new
    difference = SchemaDifference(from: old, to: new)
  }

  /// Record types whose records are erased in development.
  package var erasedTypes: [String] {
    difference.changes.compactMap { if case .removeType(let type) = $0 { type.name } else { nil } }
  }

  /// Fields whose values are erased in development; a field of the same name that comes later
  /// begins without any.
  package var erasedFields: [ErasedField] {
    difference.changes.compactMap { change in
      switch change {
      case .removeField(let field, let type): ErasedField(name: field.name, recordType: type)
      case .changeDatatype(let field, let type, _, _) where change.losesValues:
        ErasedField(name: field, recordType: type)
      default: nil
      }
    }
  }

  /// Fields by which queries can neither filter nor sort any more; of the system too, by their
  /// names in schemas.
  package var fieldsWithoutIndex: [ErasedField] {
    difference.changes.compactMap { change in
      guard case .removeIndexes(_, let field, let name) = change, let type = schema[type: name]
      else { return nil }
      let left =
        SystemField(rawValue: field.name).map { type[indexesOf: $0] } ?? type[field: field.name]?
        .indexes ?? []
      return left.isDisjoint(with: [.queryable, .sortable])
        ? ErasedField(name: field.name, recordType: name) : nil
    }
  }

  /// A field of which no value stays.
  package struct ErasedField: Hashable, Sendable {
    package let name: String
    package let recordType: String

    package init(name: String, recordType: String) {
      self.name = name
      self.recordType = recordType
    }
  }
}
