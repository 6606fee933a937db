import ManagedObjectModel
import ObjectRows
import SQLiteStore

/// To-many relationships without an inverse whose members have several owners.
///
/// The rows of members in a new SQLite store have room for one owner. A copy gives these
/// relationships a join table, so that no owner is lost.
struct SharedOwners<Member: Hashable> {
  /// The relationships with such members.
  private(set) var relationships: Set<ObjectIdentifier> = []
  private var members: [ObjectIdentifier: Set<Member>] = [:]

  /// Adds members, each once for each of its owners.
  mutating func add(
    _ found: some Sequence<Member>, of relationship: NSRelationshipDescription
  ) {
    let name = ObjectIdentifier(relationship)
    for member in found where !members[name, default: []].insert(member).inserted {
      relationships.insert(name)
    }
  }
}

extension NSRelationshipDescription {
  /// Whether the rows of members in a SQLite store have room for one owner.
  var mayShareMembers: Bool { isToMany && !isTransient && inverseRelationship == nil }
}

extension NSPersistentStore {
  /// The relationships of a SQLite store whose members' rows have room for one owner.
  var singleOwnerRelationships: Set<ObjectIdentifier> {
    let schema = (rowStore as? SQLiteRowStore)?.schema
    return Set(
      (schema?.tables ?? []).flatMap(\.ownerColumns).map { ObjectIdentifier($0.relationship) })
  }
}
