import ManagedObjectModel
import ObjectRows

/// Copies what rows do not contain: many-to-many and ordered relationships, and those without an
/// inverse.
extension StoreCopy {
  /// Whether an entity has relationships that `copyMemberships` copies.
  func hasMembers(_ layout: RowLayout) -> Bool {
    layout.properties.contains { ($0 as? NSRelationshipDescription)?.isCopiedApart == true }
  }

  func copyMemberships(_ batch: ArraySlice<Int64>, _ layout: RowLayout) throws {
    var copies = CopyBatch(layout, settings.transaction, capacity: batch.count)
    var changed: [RowKey: OrdinalSet] = [:]
    for (ordinal, property) in layout.properties.enumerated() {
      guard let relationship = property as? NSRelationshipDescription, relationship.isCopiedApart
      else { continue }
      let related = try source.members(
        of: relationship, owners: Array(batch), layout: layout, includingRows: false)
      var next = 0
      while next < related.owners.count {
        let origin = related.owners[next]
        let end = related.owners[next...].firstIndex { $0 != origin } ?? related.owners.count
        let members = related.members[next..<end].compactMap(keys.copy(of:))
        next = end
        let owner = keys.copy(of: RowKey(key: origin, layoutIndex: Int32(layout.index)))
        guard let owner, !members.isEmpty else { continue }
        copies.add(try change(relationship, owner, members))
        changed[owner, default: OrdinalSet()].insert(ordinal)
      }
    }
    try noteOwners(changed, &copies)
    try save(copies)
  }

  private func change(
    _ relationship: NSRelationshipDescription, _ owner: RowKey, _ members: [RowKey]
  ) throws -> MembershipChange {
    let layout = layouts[owner.layoutIndex]
    var order = relationship.isOrdered ? members : nil
    if relationship.isOrdered, keys.isDuplicate(owner.key, root: layout.rootIndex) {
      // The members of the stored row come first.
      let stored = try destination.rowStore.members(
        of: relationship, owners: [owner.key], layout: layout, includingRows: false)
      let new = Set(members)
      order = stored.members.filter { !new.contains($0) } + members
    }
    return MembershipChange(
      relationship: relationship, layout: layout, owner: owner.key,
      added: relationship.writesPairs ? members : [], order: order)
  }

  /// Adds the owners as updated, so that the history names them.
  private func noteOwners(_ changed: [RowKey: OrdinalSet], _ copies: inout CopyBatch) throws {
    let owners = changed.keys.filter { Int($0.layoutIndex) == copies.layout.index }.map(\.key)
    guard !owners.isEmpty else { return }
    let found = try destination.rowStore.rows(withKeys: owners.sorted(), layout: copies.layout)
    for fetched in found.rows {
      let key = RowKey(key: fetched.row.key, layoutIndex: Int32(copies.layout.index))
      guard let ordinals = changed[key] else { continue }
      copies.update(copies.copy(of: fetched.row), ordinals, expecting: fetched.row.version)
    }
    withExtendedLifetime(found) {}
  }
}

extension NSRelationshipDescription {
  /// Whether the copy writes pairs of this relationship, or its order, in a separate step.
  fileprivate var isCopiedApart: Bool { isToMany && !isTransient && (writesPairs || isOrdered) }

  /// Whether the pairs are written from this side.
  ///
  /// The pairs of other relationships are in rows, or are written from the inverse.
  fileprivate var writesPairs: Bool {
    guard let inverse = inverseRelationship else { return true }
    guard inverse.isToMany else { return false }
    let names = [self, inverse].map { "\($0.entity.name ?? "").\($0.name)" }
    return names[0] <= names[1]
  }
}
