import Foundation
import ObjectRows

/// One save of an atomic store, with the former values of the nodes for the case that it fails.
struct AtomicSave {
  private struct Former {
    let node: NSAtomicStoreCacheNode
    let values: NSMutableDictionary?
  }

  private let store: NSAtomicStore
  private let objects: SavedObjectSets
  private let known: Set<NSAtomicStoreCacheNode>
  private var updated: [Former] = []
  private var removed: Set<NSAtomicStoreCacheNode> = []

  init(store: NSAtomicStore, objects: SavedObjectSets) {
    self.store = store
    self.objects = objects
    known = store.cacheNodes()
  }

  /// Changes the nodes and saves the store.
  mutating func run() throws {
    for object in objects.inserted.sorted(by: NSManagedObject.precedesInContext) {
      try insert(object)
    }
    for object in objects.updated.sorted(by: NSManagedObject.precedesInContext) {
      try update(object)
    }
    remove()
    try store.save()
  }

  private func insert(_ object: NSManagedObject) throws {
    let node = store.newCacheNode(for: object)
    guard node.objectID == object.objectID else {
      throw StoreError(
        .unfitValue,
        "\(type(of: store)).newCacheNode(for:) returned a node of another object: "
          + "\(node.objectID). Create the node with the object's identifier."
      )
    }
    store.addCacheNodes([node])
  }

  private mutating func update(_ object: NSManagedObject) throws {
    guard let node = store.cacheNode(for: object.objectID) else {
      throw StoreError(
        .unfitValue,
        "\(type(of: store)) has no cache node for \(object.objectID), which was changed. "
          + "Keep the nodes of saved objects."
      )
    }
    let values = node.propertyCache?.mutableCopy() as? NSMutableDictionary
    updated.append(Former(node: node, values: values))
    store.updateCacheNode(node, from: object)
  }

  private mutating func remove() {
    removed = Set(objects.deleted.compactMap { store.cacheNode(for: $0.objectID) })
    guard !removed.isEmpty else { return }
    store.willRemoveCacheNodes(removed)
    store.removeCacheNodes(removed)
  }

  /// Restores the nodes and their values from before the save.
  func revert() {
    store.removeCacheNodes(store.cacheNodes().subtracting(known))
    store.addCacheNodes(removed)
    for former in updated { former.node.propertyCache = former.values }
    _ = store.takeAddedNodes()
  }
}
