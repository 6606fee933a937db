import ManagedObjectModel

/// A many-to-many relationship independent of its sides, as its join records name it.
///
/// The sides are sorted by entity, then by relationship.
package struct JoinRelationship: Hashable, Sendable, Codable {
  /// The entity that declares the first relationship.
  package let firstEntity: String
  /// The relationship of the first entity, whose members are on the second side.
  package let firstRelationship: String
  /// The entity that declares the second relationship.
  package let secondEntity: String
  /// The relationship of the second entity, whose members are on the first side.
  package let secondRelationship: String

  /// Whether the relationship is its own inverse; then its pairs have no order.
  package var isSymmetric: Bool {
    firstEntity == secondEntity && firstRelationship == secondRelationship
  }

  /// Creates the relationship with its sides in order.
  package init(
    _ entity: String, _ relationship: String, _ otherEntity: String, _ otherRelationship: String
  ) {
    let isInOrder = (entity, relationship) <= (otherEntity, otherRelationship)
    (firstEntity, secondEntity) = isInOrder ? (entity, otherEntity) : (otherEntity, entity)
    (firstRelationship, secondRelationship) =
      isInOrder ? (relationship, otherRelationship) : (otherRelationship, relationship)
  }
}

/// One side of a many-to-many relationship.
package struct JoinSide: Hashable, Sendable {
  package let join: JoinRelationship
  /// Whether the objects are on the first side; true if the relationship is its own inverse.
  package let isFirst: Bool

  /// Creates a side; nil if the relationship is not many-to-many.
  init?(_ relationship: NSRelationshipDescription) {
    guard relationship.isToMany, let inverse = relationship.inverseRelationship, inverse.isToMany,
      let entity = relationship.declaringEntity?.name, let other = inverse.declaringEntity?.name
    else { return nil }
    join = JoinRelationship(entity, relationship.name, other, inverse.name)
    isFirst = join.firstEntity == entity && join.firstRelationship == relationship.name
  }

  /// The pair of an object on this side and a member of its relationship.
  package func pair(of recordName: String, with member: String) -> JoinPair {
    isFirst
      ? JoinPair(join, first: recordName, second: member)
      : JoinPair(join, first: member, second: recordName)
  }
}
