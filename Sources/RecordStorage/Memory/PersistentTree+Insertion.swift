extension PersistentTree.Node {
  /// Sets an entry in this subtree.
  ///
  /// Afterwards this node may be too large, but no node below it.
  ///
  /// - Returns: Whether the key is new.
  mutating func set(_ entry: StorageEntry) -> Bool {
    let place = place(of: entry.key)
    if holds(entry.key, at: place) {
      entries[place] = entry
      return false
    }
    guard !isLeaf else {
      entries.insert(entry, at: place)
      return true
    }
    let isNew = children[place].set(entry)
    if children[place].isTooLarge { splitChild(at: place) }
    return isNew
  }

  /// Keeps the lower half of the node, and returns the middle entry and the upper half.
  mutating func split() -> (middle: StorageEntry, right: Self) {
    let half = entries.count / 2
    let middle = entries[half]
    let right = Self(
      entries: Array(entries[(half + 1)...]), children: isLeaf ? [] : Array(children[(half + 1)...])
    )
    entries.removeSubrange(half...)
    if !isLeaf { children.removeSubrange((half + 1)...) }
    return (middle, right)
  }

  private mutating func splitChild(at place: Int) {
    let (middle, right) = children[place].split()
    entries.insert(middle, at: place)
    children.insert(right, at: place + 1)
  }
}
