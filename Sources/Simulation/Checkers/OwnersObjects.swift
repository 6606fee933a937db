/// Checks that owners lose neither objects nor edits by sharing.
///
/// Writes of participants can be lost: the server rejects them if the participant may only read.
/// Participants also lose an object that leaves the share. The owner's writes must not be lost.
package struct OwnersObjects {
  /// The owners of the objects that were not inserted into another user's share, by key.
  package private(set) var owners: [String: String] = [:]
  /// The objects that owners deleted with their zone.
  package private(set) var purged: Set<String> = []
  /// The users who may have lost the permission to write in a zone at some time.
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

  /// Objects that an owner lost without deleting them.
  ///
  /// - Parameter own: The keys of each user's own objects.
  package func lost(_ own: [String: Set<String>]) -> [Violation] {
    owners.sorted { $0.key < $1.key }.filter { key, owner in
      deleters[key] == nil && !purged.contains(key) && own[owner]?.contains(key) == false
    }.map {
      Violation(invariant: .lost, message: "\($0) is missing, although \($1) did not delete it.")
    }
  }

  /// Whether the writes at a place of an object make its last value certain.
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
