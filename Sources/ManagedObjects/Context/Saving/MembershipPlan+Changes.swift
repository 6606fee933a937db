import ManagedObjectModel
import ObjectRows

extension MembershipPlan {
  /// The change to write to the store, or nil if the other side writes it.
  ///
  /// - Throws: An error if a member cannot be referenced.
  func change(of members: ToManyMembers, _ object: NSManagedObject) throws -> MembershipChange? {
    var change = MembershipChange(
      relationship: relationship, layout: object.layout, owner: object.key)
    if isManyToMany {
      let (added, removed) = members.difference
      guard added.allHeldSatisfy({ $0.canBeReferenced(by: object) }) else {
        throw SaveError.dangling(relationship, of: object)
      }
      change.added = added.filter { writes($0, object) }.map(Self.key)
      change.removed = removed.filter { writes($0, object) && $0.flags.change != .deletion }.map(
        Self.key)
    }
    if relationship.isOrdered, !members.isBackToCommitted(isOrdered: true) {
      let order = members.objects.filter { $0.flags.change != .deletion }.map(Self.key)
      guard order.allSatisfy({ $0.key > 0 }) else {
        throw SaveError.dangling(relationship, of: object)
      }
      change.order = order
    }
    return change.added.isEmpty && change.removed.isEmpty && change.order == nil ? nil : change
  }

  /// Whether this side writes the pair of an object and a member.
  private func writes(_ member: NSManagedObject, _ object: NSManagedObject) -> Bool {
    guard let inverse, let ordinal = member.layout.ordinal(of: inverse.name) else { return true }
    let isKnownThere =
      member.flags.change != nil && member.state?.members[ordinal]?.isChanged == true
    if isReflexive { return !isKnownThere || object.key <= member.key }
    return writesPairs || !isKnownThere
  }

  private static func key(_ object: NSManagedObject) -> RowKey {
    RowKey(key: object.key, layoutIndex: Int32(object.layout.index))
  }
}

extension ToManyMembers {
  /// The members added and removed since they were last fetched or saved.
  var difference: (added: [NSManagedObject], removed: [NSManagedObject]) {
    guard isLoaded else { return (added, removed) }
    guard let committed else { return ([], []) }
    let former = Set(committed.map(ObjectIdentifier.init))
    let current = Set(objects.map(ObjectIdentifier.init))
    return (
      objects.filter { !former.contains(ObjectIdentifier($0)) },
      committed.filter { !current.contains(ObjectIdentifier($0)) }
    )
  }
}
