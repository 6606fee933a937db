/// What a record is to a store.
package enum DecodedRecord: Sendable {
  /// An object of one of its entities.
  case object(DecodedObject)
  /// Two objects that a many-to-many relationship joins.
  case pair(JoinPair)
  /// Nothing that the store has a place for; it is left alone.
  case foreign(ForeignReason)
}

/// Why a record has no place in a store.
package enum ForeignReason: Hashable, Sendable, CustomStringConvertible {
  /// No entity has records of the type.
  case recordType(String)
  /// The entity is none of those of the type: of a later version of the model, perhaps.
  case entity(String, recordType: String)
  /// The entity is abstract and has no objects; or the record names none, and its type stands for
  /// an abstract one.
  case abstractEntity(String)
  /// A pair that joins nothing, with what is wrong.
  case pair(String)

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .recordType(let type): "No entity of the model has records of the type \(type)."
    case .entity(let entity, let type):
      "\(entity) is no entity of the model whose records have the type \(type)."
    case .abstractEntity(let entity): "The entity \(entity) is abstract and has no objects."
    case .pair(let reason): "The pair of a many-to-many relationship \(reason)."
    }
  }
}

/// A field whose value is of no use.
package struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
  /// The property that would have the value.
  package let property: String
  /// The field.
  package let field: String
  /// What is wrong, as the end of a sentence that begins with the field.
  package let reason: String

  /// What is wrong, as a sentence.
  package var description: String { "\(field) \(reason)." }
}
