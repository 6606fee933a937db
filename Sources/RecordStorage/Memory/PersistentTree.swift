/// An ordered map that is a value: a copy costs nothing, and a change costs a path from the root to
/// a leaf.
///
/// A B-tree with entries in all its nodes. Nodes are structs of two arrays, and Swift's arrays are
/// shared until they are written: whoever keeps an older value of the tree keeps the nodes of it
/// that have changed since, and shares all others.
///
/// Invariants, which `checkInvariants()` looks at:
///
/// 1. The keys of a node ascend.
/// 2. A node has no children, or one more than entries.
/// 3. All leaves lie at the same depth.
/// 4. Every node but the root has from `Node.minimum` to `Node.maximum` entries; the root has at
///    most as many.
/// 5. What lies in the child before an entry is less than the entry, and what lies in the child
///    behind it is greater.
/// 6. `count` is the number of entries.
struct PersistentTree {
  private(set) var root = Node()
  private(set) var count = 0

  func value(of key: StorageKey) -> [UInt8]? { root.value(of: key) }

  mutating func set(_ value: [UInt8], for key: StorageKey) {
    if root.set(StorageEntry(key: key, value: value)) { count += 1 }
    if root.isTooLarge { growUpwards() }
  }

  mutating func remove(_ key: StorageKey) {
    if root.remove(key) { count -= 1 }
    if root.entries.isEmpty, let onlyChild = root.children.first { root = onlyChild }
  }

  func visit(
    in range: StorageRange, order: StorageOrder, _ visit: (StorageEntry) throws -> VisitContinuation
  ) rethrows {
    guard !range.isEmpty else { return }
    _ =
      switch order {
      case .ascending: try root.visitAscending(range, visit)
      case .descending: try root.visitDescending(range, visit)
      }
  }

  /// A root that became too large becomes the two children of a new one.
  private mutating func growUpwards() {
    var left = root
    let (middle, right) = left.split()
    root = Node(entries: [middle], children: [left, right])
  }
}

extension PersistentTree {
  /// A run of entries and, above the leaves, what lies between them.
  struct Node {
    /// Wide enough that paths are short, narrow enough that the copy of a node is.
    static let maximum = 32
    static let minimum = 15

    var entries: [StorageEntry] = []
    var children: [Node] = []

    var isLeaf: Bool { children.isEmpty }
    var isTooLarge: Bool { entries.count > Self.maximum }
    var isTooSmall: Bool { entries.count < Self.minimum }

    /// The place of the first entry that does not come before `key`.
    func place(of key: StorageKey) -> Int {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].key < key { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func holds(_ key: StorageKey, at place: Int) -> Bool {
      place < entries.count && entries[place].key == key
    }

    func value(of key: StorageKey) -> [UInt8]? {
      let place = place(of: key)
      if holds(key, at: place) { return entries[place].value }
      return isLeaf ? nil : children[place].value(of: key)
    }
  }
}
