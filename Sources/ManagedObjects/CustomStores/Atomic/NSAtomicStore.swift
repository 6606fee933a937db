import Foundation
public import ManagedObjectModel
public import ObjectRows

/// A store that is read and written as a whole, in a form that a subclass decides.
///
/// The form can be a text table, a document, or a file in a custom format.
///
/// The store keeps a cache node for each object. A subclass overrides ``load()``, ``save()``,
/// ``newCacheNode(for:)``, ``updateCacheNode(_:from:)`` and ``newReferenceObject(for:)``. It
/// identifies each object by a reference of its choice, which it saves with the object.
///
/// ```swift
/// override func load() throws {
///   for line in try lines(of: url) {
///     let node = NSAtomicStoreCacheNode(
///       objectID: objectID(for: entity, withReferenceObject: line.number))
///     node.setValue(line.text, forKey: "text")
///     addCacheNodes([node])
///   }
/// }
/// ```
///
/// Fetches are evaluated in memory. Contexts do not see changes of a cached node that are made
/// outside of a save. The methods for references and saves are called on one thread at a time.
open class NSAtomicStore: NSPersistentStore {
  private let nodes = LockedBox(CacheNodes())

  override var keepsMetadata: Bool { true }

  /// The metadata, which the subclass saves with the objects.
  ///
  /// It has the store's UUID and type from the start.
  open override var metadata: [String: Any]! {
    get {
      if let metadata = super.metadata { return metadata }
      super.metadata = [NSStoreUUIDKey: StackDependencies.current.makeUUID().uuidString]
      return super.metadata
    }
    set { super.metadata = newValue }
  }

  /// Loads the metadata of the file, if there is one and the class can read it.
  open override func loadMetadata() throws {
    guard let url, url.isFileURL, url.path != "/dev/null",
      case .file(let bytes)? = StackDependencies.current.files.kind(of: url), bytes > 0
    else { return }
    do {
      metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
    } catch {
      guard MissingOverride.isReason(of: error) else { throw error }
    }
  }

  /// Reads the file, and adds a cache node for each object.
  ///
  /// A missing or empty file is a new store.
  open func load() throws { throw MissingOverride.error("load()", Swift.type(of: self)) }

  /// Writes all cache nodes and the metadata.
  ///
  /// If the method throws an error, the save of the context fails, and the nodes get their former
  /// values back.
  open func save() throws { throw MissingOverride.error("save()", Swift.type(of: self)) }

  /// Returns a cache node for a new object, with the object's values.
  ///
  /// The object has a permanent identifier. The node is added to the cache.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    preconditionFailure("\(Swift.type(of: self)) does not override newCacheNode(for:).")
  }

  /// Sets the values of a cache node to those of a changed object.
  open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
    preconditionFailure("\(Swift.type(of: self)) does not override updateCacheNode(_:from:).")
  }

  /// The cache nodes.
  open func cacheNodes() -> Set<NSAtomicStoreCacheNode> {
    nodes.withLock { Set($0.all.values) }
  }

  /// Adds cache nodes.
  ///
  /// Their objects can be fetched from then on.
  open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    nodes.withLock { $0.add(cacheNodes) }
  }

  /// Called before the cache nodes of deleted objects are removed.
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  /// Returns the cache node of an object, or nil if there is none.
  open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    nodes.withLock { $0.all[objectID] }
  }

  /// Returns the identifier of the object with a reference.
  ///
  /// Equal references give equal identifiers.
  open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any)
    -> NSManagedObjectID
  {
    identifier(of: entity, reference: data)
  }

  /// Returns a reference for a new object, which no other object of its entity or of related
  /// entities has.
  ///
  /// The object has a temporary identifier.
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    preconditionFailure("\(Swift.type(of: self)) does not override newReferenceObject(for:).")
  }

  /// Returns the reference from which an identifier was created.
  ///
  /// - Precondition: This store created the identifier.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID) }

  // MARK: For the coordinator

  /// Adds the model's version hashes to metadata without any, before the store is loaded.
  func prepare(_ plan: StorePlan) throws {
    var metadata: [String: Any] = self.metadata ?? [:]
    guard metadata[NSStoreModelVersionHashesKey] == nil else { return }
    let entities = plan.model.entities(forConfigurationName: plan.configuration) ?? []
    metadata.merge(MemoryRowStore.versionMetadata(of: plan.model, entities)) { own, _ in own }
    self.metadata = metadata
  }

  /// Makes the next call of `takeAddedNodes` return these nodes again.
  final func returnAddedNodes(_ added: [NSAtomicStoreCacheNode]) {
    nodes.withLock { $0.returnAdded(added) }
  }

  /// Takes the nodes that were added since the last call.
  final func takeAddedNodes() -> [NSAtomicStoreCacheNode] { nodes.withLock { $0.takeAdded() } }

  final func removeCacheNodes(_ removed: some Sequence<NSAtomicStoreCacheNode>) {
    nodes.withLock { $0.remove(removed) }
  }
}
