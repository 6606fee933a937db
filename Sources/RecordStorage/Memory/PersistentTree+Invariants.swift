extension PersistentTree {
  /// The violated invariants, by number and with a reason; empty if there are none.
  func checkInvariants() -> [String] {
    var issues: [String] = []
    var leafDepths: Set<Int> = []
    var found = 0
    root.check(depth: 0, above: nil, below: nil) { node, depth, issue in
      issues += issue
      found += node.entries.count
      if node.isLeaf { leafDepths.insert(depth) }
    }
    if leafDepths.count > 1 {
      issues.append("3: leaves lie at the depths \(leafDepths.sorted())")
    }
    if found != count { issues.append("6: \(found) entries are counted as \(count)") }
    return issues
  }
}

extension PersistentTree.Node {
  /// Reports the issues of this node and of all nodes below it.
  fileprivate func check(
    depth: Int, above lower: StorageKey?, below upper: StorageKey?,
    _ report: (Self, Int, [String]) -> Void
  ) {
    let keys = entries.map(\.key)
    var issues: [String] = []
    if zip(keys, keys.dropFirst()).contains(where: { $0 >= $1 }) {
      issues.append("1: keys \(keys) do not ascend")
    }
    if !isLeaf, children.count != entries.count + 1 {
      issues.append("2: \(entries.count) entries have \(children.count) children")
    }
    if isTooLarge || (depth > 0 && isTooSmall) {
      issues.append("4: a node at depth \(depth) has \(entries.count) entries")
    }
    if let lower, let first = keys.first, first <= lower {
      issues.append("5: \(first) is not after \(lower)")
    }
    if let upper, let last = keys.last, last >= upper {
      issues.append("5: \(last) is not before \(upper)")
    }
    report(self, depth, issues)
    guard isLeaf || children.count == entries.count + 1 else { return }
    for (place, child) in children.enumerated() {
      child.check(
        depth: depth + 1, above: place > 0 ? keys[place - 1] : lower,
        below: place < keys.count ? keys[place] : upper,
        report)
    }
  }
}
