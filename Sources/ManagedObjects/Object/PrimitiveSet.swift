import Foundation
import ManagedObjectModel
import ObjectRows

/// The mutable set that is the primitive value of a to-many relationship during a change.
///
/// It is a plain `NSMutableSet` or `NSMutableOrderedSet`, which cannot report changes. The members
/// adopt its changes whenever they are read, and when the change of the relationship ends.
final class PrimitiveSet {
  /// The set that a custom accessor changes.
  let value: NSObject
  /// The objects of the set when the members last adopted its changes.
  var adopted: [NSManagedObject] = []

  init(isOrdered: Bool) {
    value = isOrdered ? NSMutableOrderedSet(capacity: 0) : NSMutableSet(capacity: 0)
  }

  /// Replaces the objects of the set.
  func fill(with objects: [NSManagedObject]) {
    if let set = value as? NSMutableSet {
      set.removeAllObjects()
      set.addObjects(from: objects)
    } else if let set = value as? NSMutableOrderedSet {
      set.removeAllObjects()
      set.addObjects(from: objects)
    }
  }
}

extension NSManagedObject {
  /// The primitive value of a to-many relationship that is being changed, or nil for other
  /// properties and at other times.
  final func mutablePrimitiveValue(_ ordinal: Int) -> NSObject? {
    guard state?.formerDestinations[ordinal] != nil,
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription,
      relationship.isToMany
    else { return nil }
    let members = membersToReplace(ordinal)
    let set = members.primitiveSet ?? PrimitiveSet(isOrdered: relationship.isOrdered)
    members.primitiveSet = set
    set.fill(with: members.objects)
    set.adopted = objects(in: set.value, for: relationship)
    return set.value
  }

  /// Applies the changes of a primitive set to the members, without updating the inverse.
  ///
  /// Additions and removals that were made in other ways, such as through the inverse, stay.
  final func adoptChanges(of set: PrimitiveSet, in members: ToManyMembers, _ ordinal: Int) {
    guard members.isLoaded,
      let relationship = layout.properties[ordinal] as? NSRelationshipDescription
    else { return }
    let (former, current) = (set.adopted, objects(in: set.value, for: relationship))
    guard !current.elementsEqual(former, by: { $0 === $1 }) else { return }
    set.adopted = current
    let known = Set(former.map(ObjectIdentifier.init))
    let isNew = { (object: NSManagedObject) in !known.contains(ObjectIdentifier(object)) }
    let kept = current.filter { isNew($0) || members.contains($0) }
    members.replace(with: unique(kept + members.objects.filter(isNew)))
  }

  /// Releases the primitive set of a relationship whose change has ended.
  final func releasePrimitiveSet(_ ordinal: Int) {
    if let members = state?.members[ordinal] { members.primitiveSet = nil }
  }
}
