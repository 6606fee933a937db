import ManagedObjectModel
import ObjectRows

/// Computes the contents after a save.
struct MemorySave {
  private(set) var contents: MemoryContents
  private var edits = MembershipEdits()

  init(_ contents: MemoryContents) {
    self.contents = contents
  }

  /// The conflicts of rows that another save changed or deleted.
  static func versionConflicts(of changes: StoreChanges, with contents: MemoryContents)
    -> [StoreConflict]
  {
    func conflict(
      _ key: Int64, _ layout: RowLayout, expecting version: Int64?, isDeletion: Bool
    ) -> StoreConflict? {
      let stored = contents.row(key, root: layout.rootIndex)
      if let stored, version == nil || stored.row.version == version { return nil }
      if stored == nil, isDeletion, version == nil { return nil }
      let rowKey = RowKey(key: key, layoutIndex: Int32(layout.index))
      return .version(rowKey, isDeletion: isDeletion, persisted: stored.map { ownPage(of: $0) })
    }
    return changes.updated.compactMap {
      conflict($0.row.key, $0.layout, expecting: $0.expectedVersion, isDeletion: false)
    }
      + changes.deleted.compactMap {
        conflict($0.key, $0.layout, expecting: $0.expectedVersion, isDeletion: true)
      }
  }

  /// A separate page for a row that is shown in a conflict.
  static func ownPage(of stored: StoredRow) -> RowPage {
    let page = RowPage(layout: stored.layout, capacity: 1)
    _ = page.appendRow(copying: stored.row)
    return page
  }

  mutating func apply(_ changes: StoreChanges) -> StoreSaveReceipt {
    var receipt = StoreSaveReceipt()
    insert(changes.inserted)
    update(changes.updated, &receipt)
    delete(changes.deleted)
    edits.apply(to: &contents)
    for change in changes.memberships { changePairs(change) }
    // Orders are set after all pairs, because a change from the other side may write a pair.
    for change in changes.memberships { setOrder(change) }
    return receipt
  }

  // MARK: Rows

  private mutating func insert(_ changes: ContiguousArray<RowChange>) {
    var pages = PageWriter(changes.map(\.layout))
    for change in changes {
      let (row, page) = pages.appendRow(change.layout, copying: change.row)
      row.version = 1
      change.layout.clearTransient(in: row)
      let stored = StoredRow(row: row, page: page)
      contents.rows[change.layout.rootIndex][row.key] = stored
      edits.add(stored, contents.relationships.feeds[change.layout.index])
    }
  }

  private mutating func update(
    _ changes: ContiguousArray<RowChange>, _ receipt: inout StoreSaveReceipt
  ) {
    var pages = PageWriter(changes.map(\.layout))
    for change in changes {
      guard let former = contents.row(change.row.key, root: change.layout.rootIndex) else {
        continue
      }
      let (row, page) = pages.appendRow(former.layout, copying: former.row)
      for ordinal in change.changed.ordinals where former.layout.slots[ordinal].isStored {
        former.layout.copyValue(ordinal, from: change.row, to: row)
      }
      row.version = former.row.version + 1
      let stored = StoredRow(row: row, page: page)
      if change.expectedVersion == nil { receipt.versions[stored.key] = row.version }
      contents.rows[change.layout.rootIndex][row.key] = stored
      let feeds = contents.relationships.feeds[former.layout.index].filter {
        change.changed.contains($0.ordinal)
      }
      edits.remove(former, feeds)
      edits.add(stored, feeds)
    }
  }

  private mutating func delete(_ deletions: ContiguousArray<RowDeletion>) {
    for deletion in deletions {
      guard let stored = contents.row(deletion.key, root: deletion.layout.rootIndex) else {
        continue
      }
      edits.remove(stored, contents.relationships.feeds[stored.layout.index])
      for toMany in contents.relationships.toMany[stored.layout.index] {
        if let inverse = toMany.inverse {
          for member in contents.members[toMany.number][deletion.key] ?? [] {
            edits.remove(deletion.key, from: inverse, of: member.key)
          }
        }
        edits.clear(toMany.number, of: deletion.key)
      }
      contents.rows[deletion.layout.rootIndex][deletion.key] = nil
    }
  }

  // MARK: Memberships

  private mutating func changePairs(_ change: MembershipChange) {
    guard
      let toMany = contents.relationships.toMany(named: change.relationship.name, of: change.layout)
    else { return }
    let owner = RowKey(key: change.owner, layoutIndex: Int32(change.layout.index))
    var edits = MembershipEdits()
    for member in change.removed {
      edits.remove(member.key, from: toMany.number, of: change.owner)
      if let inverse = toMany.inverse { edits.remove(change.owner, from: inverse, of: member.key) }
    }
    for member in change.added {
      edits.add(member, to: toMany.number, of: change.owner)
      if let inverse = toMany.inverse { edits.add(owner, to: inverse, of: member.key) }
    }
    edits.apply(to: &contents)
  }

  /// Puts the members of an owner in order.
  ///
  /// Members that the order does not name come first, as NULL does in SQLite.
  private mutating func setOrder(_ change: MembershipChange) {
    guard let order = change.order,
      let toMany = contents.relationships.toMany(
        named: change.relationship.name, of: change.layout),
      let present = contents.members[toMany.number][change.owner]
    else { return }
    let (known, ordered) = (Set(present.map(\.key)), Set(order.map(\.key)))
    contents.members[toMany.number][change.owner] =
      present.filter { !ordered.contains($0.key) } + order.filter { known.contains($0.key) }
  }
}
