/// Checks that owners lose none of their objects, and no edit of them, by sharing.
///
/// Writes of participants can be lost: a server refuses it if they may only read then, and an
/// object that leaves the share is gone for them. What the owner's devices write may not.
package struct OwnersObjects {
  /// The owners of objects that were inserted into stores of their own, by key.
  package private(set) var owners: [String: String] = [:]
  /// The objects that owners deleted with their zone.
  package private(set) var purged: Set<String> = []
  /// The users who could not write at some time in a zone in which they could before.
  package private(set) var lowered: Set<String> = []
  /// The objects that were in several zones.
  package private(set) var moved: Set<String> = []
  /// The users who deleted objects, by key.
  private var deleters: [String: Set<String>] = [:]
  private var zones: [String: String] = [:]

  package init() {}

  package mutating func insert(_ key: String, by owner: String) { owners[key] = owner }

  package mutating func delete(_ key: String, by user: String) {
    deleters[key, default: []].insert(user)
  }

  package mutating func purge(_ keys: some Sequence<String>) { purged.formUnion(keys) }

  package mutating func lower(_ users: some Sequence<String>) { lowered.formUnion(users) }

  /// Records the zone in which the server has an object.
  package mutating func observe(_ key: String, in zone: String) {
    if let former = zones.updateValue(zone, forKey: key), former != zone { moved.insert(key) }
  }

  /// Objects that an owner does not have any more, and did not delete.
  ///
  /// - Parameter own: The keys of each user's own objects.
  package func lost(_ own: [String: Set<String>]) -> [Violation] {
    owners.sorted { $0.key < $1.key }.filter { key, owner in
      deleters[key] == nil && !purged.contains(key) && own[owner]?.contains(key) == false
    }.map {
      Violation(invariant: .lost, message: "\($0) is missing, although \($1) did not delete it.")
    }
  }

  /// Whether the last value at a place of an object is certain, by what was written there.
  package func isCertain(
    _ key: String, texts: [String], writers: Set<String>, owner: String?
  ) -> Bool {
    guard let owner, deleters[key] == nil, purged.isDisjoint(with: [key] + texts) else {
      return false
    }
    let others = writers.subtracting([owner])
    return others.isEmpty || (others.isDisjoint(with: lowered) && !moved.contains(key))
  }

  /// Whether an object must be gone: its owner's devices deleted it, and no device moved it.
  package func mustBeGone(_ key: String) -> Bool {
    guard let owner = owners[key] else { return false }
    return deleters[key] == [owner] && !moved.contains(key)
  }
}
