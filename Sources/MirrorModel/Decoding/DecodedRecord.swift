/// The meaning of a record for a store.
package enum DecodedRecord: Sendable {
  /// An object.
  case object(DecodedObject)
  /// Two objects that a many-to-many relationship joins.
  case pair(JoinPair)
  /// A record that the store cannot hold; it is ignored.
  case foreign(ForeignReason)
}

/// The reason why a store cannot hold a record.
package enum ForeignReason: Hashable, Sendable, CustomStringConvertible {
  /// No entity has this record type.
  case recordType(String)
  /// The record type has no such entity, perhaps because of a later version of the model.
  case entity(String, recordType: String)
  /// The entity has no objects.
  ///
  /// The record names it, or names no entity and the root of its type is abstract.
  case abstractEntity(String)
  /// The pair is invalid, with the reason.
  case pair(String)

  /// The reason, as a full sentence.
  package var description: String {
    switch self {
    case .recordType(let type): "No entity of the model has records of the type \(type)."
    case .entity(let entity, let type):
      "\(entity) is not an entity of the model whose records have the type \(type)."
    case .abstractEntity(let entity): "The entity \(entity) is abstract and has no objects."
    case .pair(let reason): "The pair of a many-to-many relationship \(reason)."
    }
  }
}

/// A field with an invalid value.
package struct FieldIssue: Hashable, Sendable, CustomStringConvertible {
  /// The property of the field.
  package let property: String
  package let field: String
  /// The reason, as the end of a sentence that begins with the field.
  package let reason: String

  /// The reason, as a full sentence.
  package var description: String { "\(field) \(reason)." }
}
