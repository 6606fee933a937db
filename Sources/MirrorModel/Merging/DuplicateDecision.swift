/// Which of two objects stays whose values are equal in a uniqueness constraint.
///
/// The one with the smaller record name, on every device alike. Its own values stay; the
/// relationships of the other are carried over, so that nothing that was related to either is left
/// alone.
package struct DuplicateDecision: Hashable, Sendable {
  /// The record name of the object that stays.
  package let winner: String
  /// The record name of the object that goes.
  package let loser: String
  /// What the winner's relationships become, where they change: the record names of all related
  /// objects.
  ///
  /// Ordered where the relationship is; one name for a to-one relationship.
  package let related: [String: [String]]

  /// Decides between two objects: the one with the smaller record name stays.
  package init(_ one: UniqueObject, _ other: UniqueObject, schema: MirrorSchema) {
    let (stays, goes) = one.recordName <= other.recordName ? (one, other) : (other, one)
    self.init(winner: stays, loser: goes, schema: schema)
  }

  /// Lets one object go for another one.
  ///
  /// | the relationship is | the winner gets |
  /// |---|---|
  /// | to-one | the other's target, where it has none itself |
  /// | to-many | its members, then the other's |
  ///
  /// Neither of the two stays related to the one that goes.
  package init(winner stays: UniqueObject, loser goes: UniqueObject, schema: MirrorSchema) {
    winner = stays.recordName
    loser = goes.recordName
    let toOne = Set(schema[stays.entity]?.references.map(\.property) ?? [])
    var related: [String: [String]] = [:]
    for (relationship, members) in goes.related {
      let own = stays.related[relationship] ?? []
      let kept = own.filter { $0 != goes.recordName }
      let carried = members.filter {
        $0 != goes.recordName && $0 != stays.recordName && !kept.contains($0)
      }
      let result = toOne.contains(relationship) ? Array((kept + carried).prefix(1)) : kept + carried
      if result != own { related[relationship] = result }
    }
    for (relationship, own) in stays.related
    where goes.related[relationship] == nil && own.contains(goes.recordName) {
      related[relationship] = own.filter { $0 != goes.recordName }
    }
    self.related = related
  }

  /// The constraints in which two objects collide.
  ///
  /// A value that is null collides with nothing, as in a store.
  package static func collisions(
    _ one: ObjectContent, _ other: ObjectContent, schema: MirrorSchema
  ) -> [MirrorConstraint] {
    guard one.recordName != other.recordName, let entity = schema[one.entity],
      let otherEntity = schema[other.entity]
    else { return [] }
    return entity.constraints.filter { constraint in
      otherEntity.constraints.contains(constraint)
        && constraint.attributes.allSatisfy { isEqual(one[$0], other[$0]) }
    }
  }

  /// Texts are equal whose bytes are, as they are to a store.
  private static func isEqual(_ one: MirrorValue, _ other: MirrorValue) -> Bool {
    switch (one, other) {
    case (.null, _), (_, .null): false
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    default: one == other
    }
  }
}

/// An object that must be unique, and what it is related to.
package struct UniqueObject: Hashable, Sendable {
  /// The name of its entity.
  package var entity: String
  /// The name of its record.
  package var recordName: String
  /// The record names of related objects, by relationship: all of a to-many relationship, in order
  /// where that matters.
  package var related: [String: [String]]

  package init(entity: String, recordName: String, related: [String: [String]]) {
    self.entity = entity
    self.recordName = recordName
    self.related = related
  }
}
