extension PersistentTree.Node {
  /// Removes a key from this subtree.
  ///
  /// Afterwards this node may be too small, but no node below it.
  ///
  /// - Returns: Whether the key was present.
  mutating func remove(_ key: StorageKey) -> Bool {
    let place = place(of: key)
    let isHere = holds(key, at: place)
    if isLeaf {
      if isHere { entries.remove(at: place) }
      return isHere
    }
    if isHere {
      // The preceding entry replaces it.
      entries[place] = children[place].removeLast()
      refillChild(at: place)
      return true
    }
    let wasThere = children[place].remove(key)
    refillChild(at: place)
    return wasThere
  }

  private mutating func removeLast() -> StorageEntry {
    guard !isLeaf else { return entries.removeLast() }
    let last = children.count - 1
    let entry = children[last].removeLast()
    refillChild(at: last)
    return entry
  }

  /// Moves an entry from a sibling to a child that became too small, or merges the two.
  private mutating func refillChild(at place: Int) {
    guard children[place].isTooSmall else { return }
    if place > 0, children[place - 1].entries.count > Self.minimum {
      takeFromLeft(of: place)
    } else if place + 1 < children.count, children[place + 1].entries.count > Self.minimum {
      takeFromRight(of: place)
    } else {
      mergeChildren(at: place > 0 ? place - 1 : place)
    }
  }

  private mutating func takeFromLeft(of place: Int) {
    let moved = children[place - 1].entries.removeLast()
    children[place].entries.insert(entries[place - 1], at: 0)
    entries[place - 1] = moved
    guard !children[place].isLeaf else { return }
    let child = children[place - 1].children.removeLast()
    children[place].children.insert(child, at: 0)
  }

  private mutating func takeFromRight(of place: Int) {
    let moved = children[place + 1].entries.removeFirst()
    children[place].entries.append(entries[place])
    entries[place] = moved
    guard !children[place].isLeaf else { return }
    let child = children[place + 1].children.removeFirst()
    children[place].children.append(child)
  }

  /// Merges a child, the entry after it and the next child into one node.
  private mutating func mergeChildren(at place: Int) {
    let right = children.remove(at: place + 1)
    let middle = entries.remove(at: place)
    children[place].entries.append(middle)
    children[place].entries += right.entries
    children[place].children += right.children
  }
}
