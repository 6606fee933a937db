import ObjectRows

/// The nodes of an atomic store, by identifier.
struct CacheNodes {
  private(set) var all: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
  /// The nodes that were added since the last call of `takeAdded`.
  private var added: [NSAtomicStoreCacheNode] = []

  mutating func add(_ nodes: Set<NSAtomicStoreCacheNode>) {
    for node in nodes where all[node.objectID] !== node {
      all[node.objectID] = node
      added.append(node)
    }
  }

  mutating func remove(_ nodes: some Sequence<NSAtomicStoreCacheNode>) {
    for node in nodes { all[node.objectID] = nil }
  }

  /// Makes `takeAdded` return nodes again.
  mutating func returnAdded(_ nodes: [NSAtomicStoreCacheNode]) { added += nodes }

  /// Takes the nodes that were added since the last call, in the order of their keys.
  mutating func takeAdded() -> [NSAtomicStoreCacheNode] {
    guard !added.isEmpty else { return [] }
    let taken = added.filter { all[$0.objectID] === $0 }
    added = []
    return taken.sorted {
      ($0.objectID.layout.rootIndex, $0.objectID.key)
        < ($1.objectID.layout.rootIndex, $1.objectID.key)
    }
  }
}
