/// The decision between two duplicates.
///
/// The smaller record name wins on every device. The winner keeps its values and takes over the
/// loser's relationships.
package struct DuplicateDecision: Hashable, Sendable {
  /// The record name of the object that stays.
  package let winner: String
  /// The record name of the object that is removed.
  package let loser: String
  /// The winner's changed relationships: the record names of all related objects.
  ///
  /// The names are in order if the relationship is ordered. A to-one relationship has one.
  package let related: [String: [String]]

  /// Decides by the smaller record name.
  package init(_ one: UniqueObject, _ other: UniqueObject, schema: MirrorSchema) {
    let (stays, goes) = one.recordName <= other.recordName ? (one, other) : (other, one)
    self.init(winner: stays, loser: goes, schema: schema)
  }

  /// Merges a given loser into a given winner.
  ///
  /// | relationship | the winner gets |
  /// |---|---|
  /// | to-one | the loser's target, if it has none itself |
  /// | to-many | its members, then the loser's |
  ///
  /// The winner is related neither to the loser nor to itself through the loser.
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
}

/// An object with unique values, and its related objects.
package struct UniqueObject: Hashable, Sendable {
  /// The name of its entity.
  package var entity: String
  /// The name of its record.
  package var recordName: String
  /// The record names of all related objects, by relationship, in order if it is ordered.
  package var related: [String: [String]]

  package init(entity: String, recordName: String, related: [String: [String]]) {
    self.entity = entity
    self.recordName = recordName
    self.related = related
  }
}
