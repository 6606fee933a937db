import CloudRecords

/// A schema that replaces development's, with the consequences.
package struct SchemaReplacement: Hashable, Sendable {
  /// The new schema of development.
  package let schema: Schema
  /// The steps to the new schema.
  package let difference: SchemaDifference

  init(of old: Schema, by new: Schema) {
    schema = new
    difference = SchemaDifference(from: old, to: new)
  }

  /// The record types that lose all records in development.
  package var erasedTypes: [String] {
    difference.changes.compactMap { if case .removeType(let type) = $0 { type.name } else { nil } }
  }

  /// The fields that lose all values in development.
  ///
  /// A later field with the same name starts without values.
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

  /// Whether development loses records or values.
  package var erases: Bool { !erasedTypes.isEmpty || !erasedFields.isEmpty }

  /// The erased data, in words.
  package var erased: String {
    (erasedTypes.map { "all records of \($0)" }
      + erasedFields.map { "the field \($0.name) of \($0.recordType)" })
      .joined(separator: ", ")
  }

  /// Fields that queries can no longer filter or sort by, including system fields, by their names
  /// in schemas.
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

  /// A field that loses all values, or the index for filters and sorting.
  package struct ErasedField: Hashable, Sendable {
    package let name: String
    package let recordType: String

    package init(name: String, recordType: String) {
      self.name = name
      self.recordType = recordType
    }
  }
}
