import ManagedObjectModel

/// A many-to-many relationship, seen from no side: what the records of its pairs name.
///
/// The sides are in the order of their entities' names, then of their relationships'.
package struct JoinRelationship: Hashable, Sendable, Codable {
  /// The entity that declares the first relationship.
  package let firstEntity: String
  /// The relationship of the first entity, whose members are on the second side.
  package let firstRelationship: String
  /// The entity that declares the second relationship.
  package let secondEntity: String
  /// The relationship of the second entity, whose members are on the first side.
  package let secondRelationship: String

  /// Whether the relationship is its own inverse: its pairs have no order.
  package var isSymmetric: Bool {
    firstEntity == secondEntity && firstRelationship == secondRelationship
  }

  /// The relationship in the order in which records name it.
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
  /// The relationship.
  package let join: JoinRelationship
  /// Whether the objects stand on the first side; true for a relationship that is its own inverse.
  package let isFirst: Bool

  /// Nil for a relationship that is not many-to-many.
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
