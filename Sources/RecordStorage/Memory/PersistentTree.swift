/// A persistent ordered map: a copy is free, and a change copies one path from root to leaf.
///
/// This is a B-tree with entries in all its nodes. Nodes are structs of two copy-on-write arrays,
/// so two versions of the tree share every node that did not change between them.
///
/// Invariants, which `checkInvariants()` verifies:
///
/// 1. The keys of a node ascend.
/// 2. A node has no children, or one more child than entries.
/// 3. All leaves have the same depth.
/// 4. Every node but the root has from `Node.minimum` to `Node.maximum` entries; the root has at
///    most `Node.maximum`.
/// 5. All keys in the child before an entry are less than its key; all in the child after it are
///    greater.
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

  /// Splits a root that became too large, and adds a new root above the halves.
  private mutating func growUpwards() {
    var left = root
    let (middle, right) = left.split()
    root = Node(entries: [middle], children: [left, right])
  }
}

extension PersistentTree {
  /// A node: sorted entries and, unless it is a leaf, the subtrees between them.
  struct Node {
    /// Large enough for short paths, small enough for a cheap copy.
    static let maximum = 32
    /// A split leaves 16 entries in each half, and a merge makes a node of 30.
    static let minimum = 15

    var entries: [StorageEntry] = []
    var children: [Node] = []

    var isLeaf: Bool { children.isEmpty }
    var isTooLarge: Bool { entries.count > Self.maximum }
    var isTooSmall: Bool { entries.count < Self.minimum }

    /// The index of the first entry whose key is not less than `key`.
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
