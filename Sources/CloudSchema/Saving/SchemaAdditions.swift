/// The types and fields that a schema learns from one record.
package struct SchemaAdditions: Hashable, Sendable {
  package let recordType: String
  /// Whether the record type is new.
  package let isNewType: Bool
  /// Fields that the type does not have yet.
  package let fields: [FieldDefinition]

  package var isEmpty: Bool { !isNewType && fields.isEmpty }
}

extension Schema {
  /// Adds what was learned from a record.
  package mutating func learn(_ additions: SchemaAdditions) {
    if additions.isEmpty { return }
    var type = self[type: additions.recordType] ?? .learned(name: additions.recordType)
    for field in additions.fields { type.define(field) }
    define(type)
  }
}
