import ObjectRows

/// Membership changes of to-many relationships, collected so that each member list is written once.
struct MembershipEdits {
  private struct List: Hashable {
    let relationship: Int
    let owner: Int64
  }

  fileprivate struct Edit {
    var isCleared = false
    var removed: Set<Int64> = []
    var added: [RowKey] = []
  }

  private var edits: [List: Edit] = [:]

  /// Adds a row to the member lists of its to-one destinations.
  mutating func add(_ stored: StoredRow, _ feeds: [MemoryRelationships.Feed]) {
    for feed in feeds {
      guard let owner = stored.layout.toOneValue(feed.ordinal, in: stored.row) else { continue }
      add(stored.key, to: feed.number, of: owner.key)
    }
  }

  /// Removes a row from the member lists of its to-one destinations.
  mutating func remove(_ stored: StoredRow, _ feeds: [MemoryRelationships.Feed]) {
    for feed in feeds {
      guard let owner = stored.layout.toOneValue(feed.ordinal, in: stored.row) else { continue }
      remove(stored.row.key, from: feed.number, of: owner.key)
    }
  }

  mutating func add(_ member: RowKey, to relationship: Int, of owner: Int64) {
    edits[List(relationship: relationship, owner: owner), default: Edit()].added.append(member)
  }

  mutating func remove(_ member: Int64, from relationship: Int, of owner: Int64) {
    edits[List(relationship: relationship, owner: owner), default: Edit()].removed.insert(member)
  }

  /// Clears a relationship of a deleted owner.
  mutating func clear(_ relationship: Int, of owner: Int64) {
    edits[List(relationship: relationship, owner: owner), default: Edit()].isCleared = true
  }

  /// Writes the edited member lists.
  ///
  /// The lists are independent, so the order of the edits does not matter.
  func apply(to contents: inout MemoryContents) {
    for (list, edit) in edits {
      let former = contents.members[list.relationship][list.owner] ?? []
      contents.members[list.relationship][list.owner] = edit.result(from: former)
    }
  }
}

extension MembershipEdits.Edit {
  /// Returns the members after the edit; nil if there are none.
  ///
  /// A member that is removed and added again, as by an update with the same destination, keeps its
  /// place.
  fileprivate func result(from former: ContiguousArray<RowKey>) -> ContiguousArray<RowKey>? {
    if isCleared { return nil }
    var members = former
    let again = Set(added.map(\.key))
    let gone = removed.subtracting(again)
    if !gone.isEmpty { members.removeAll { gone.contains($0.key) } }
    if !added.isEmpty {
      var known = Set(members.map(\.key))
      for member in added where known.insert(member.key).inserted { members.append(member) }
    }
    return members.isEmpty ? nil : members
  }
}
