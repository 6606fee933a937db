import Foundation
import ManagedObjectModel
import ObjectRows

/// The layout of the last inserted object's entity, and a cache of the layouts of classes.
///
/// Most programs insert many objects of one entity, or of a few that alternate.
struct LastEntity {
  var managedObjectClass: NSManagedObject.Type?
  var layout: RowLayout?
  private var layouts: [ObjectIdentifier: RowLayout] = [:]

  /// Looks up the layout of a class that was found before, and makes it the last one.
  mutating func find(_ managedObjectClass: NSManagedObject.Type) -> RowLayout? {
    if self.managedObjectClass == managedObjectClass, let layout { return layout }
    guard let known = layouts[ObjectIdentifier(managedObjectClass)] else { return nil }
    (self.managedObjectClass, layout) = (managedObjectClass, known)
    return known
  }

  /// Records the layout of a class, and makes it the last one.
  mutating func record(_ managedObjectClass: NSManagedObject.Type, _ layout: RowLayout) {
    layouts[ObjectIdentifier(managedObjectClass)] = layout
    (self.managedObjectClass, self.layout) = (managedObjectClass, layout)
  }
}

/// Registration: one object for each row.
extension NSManagedObjectContext {
  /// The layouts of the model.
  ///
  /// Only a context with a coordinator or a parent has them.
  var layouts: ModelLayouts {
    guard let source else {
      preconditionFailure(
        "The context \(name.map { "“\($0)” " } ?? "")has neither a coordinator nor a parent. Set persistentStoreCoordinator or parent first."
      )
    }
    return source.layouts
  }

  // MARK: Lookup

  /// The object for a row.
  ///
  /// If the context has none, a new fault without a row is registered.
  func object(_ key: Int64, layout: RowLayout, storeNumber: UInt16) -> NSManagedObject {
    if let known = registry.object(key, rootIndex: layout.rootIndex, storeNumber: storeNumber) {
      return known
    }
    let made = _Materialization.ofRows(
      placeholderOwner(of: layout), storeNumber: storeNumber, in: self
    )
    .make(layout.emptyRow, key: key)
    registry.register(made)
    retained?.insert(made)
    notifyStore(ofRegistered: made)
    return made
  }

  /// The placeholder for the row of a fault that has none.
  func placeholderOwner(of layout: RowLayout) -> RowOwner {
    if placeholderOwners.isEmpty { placeholderOwners = layouts.layouts.map(RowOwner.init(layout:)) }
    let owner = placeholderOwners[layout.index]
    return owner.layout === layout ? owner : RowOwner(layout: layout)
  }

  func fault(for objectID: NSManagedObjectID) -> NSManagedObject {
    requireAccess("object(with:) was called")
    guard let place = place(of: objectID) else {
      preconditionFailure(
        "The object \(objectID.uriRepresentation().absoluteString) is in none of the stores of the context's coordinator. Add its store, or use a context of its own coordinator."
      )
    }
    return object(place.key, layout: place.layout, storeNumber: place.storeNumber)
  }

  func knownObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    requireAccess("registeredObject(for:) was called")
    guard let place = place(of: objectID) else { return nil }
    return registry.object(
      place.key, rootIndex: place.layout.rootIndex, storeNumber: place.storeNumber)
  }

  /// The object with an identifier, whose row must exist.
  func presentObject(for objectID: NSManagedObjectID) throws -> NSManagedObject {
    let object = fault(for: objectID)
    guard object.isFault, !object.hasRow else {
      if object.flags.contains(.inaccessible) { throw Self.missing(objectID) }
      return object
    }
    guard try loadRow(of: object) else { throw Self.missing(objectID) }
    return object
  }

  private static func missing(_ objectID: NSManagedObjectID) -> NSError {
    cocoaError(
      NSManagedObjectReferentialIntegrityError,
      "There is no \(objectID.entity.name ?? "object") \(objectID.uriRepresentation().absoluteString): it was deleted, or never saved.",
      [NSAffectedObjectsErrorKey: [objectID]])
  }

  /// The key under which an identifier's object is registered; nil for an object of a store that
  /// the context does not have.
  private func place(of objectID: NSManagedObjectID) -> (
    key: Int64, layout: RowLayout, storeNumber: UInt16
  )? {
    guard let source else { return nil }
    adoptAliases()
    let layout = source.layouts[objectID.entity] ?? objectID.layout
    if let alias = alias(of: objectID.key) { return (alias.key, layout, alias.storeNumber) }
    guard let identity = objectID.storeIdentity else {
      return (objectID.key, layout, NSManagedObject.noStore)
    }
    guard let number = source.number(ofStore: identity) else { return nil }
    return (objectID.key, layout, number)
  }

  func storeIdentity(number: UInt16) -> StoreIdentity? { source?.identity(ofStore: number) }

  // MARK: Entities

  /// The entity of a class: from the context's model, or from a model that is linked into the
  /// process.
  func entity(of managedObjectClass: NSManagedObject.Type) -> NSEntityDescription {
    if let known = lastEntity.find(managedObjectClass) { return known.entity }
    guard source != nil else { return managedObjectClass.entity() }
    let own = layouts.layouts.filter { $0.blueprint.managedObjectClass == managedObjectClass }
    let found = own.count == 1 ? own[0] : layouts[managedObjectClass.entity()]
    guard let found else { return managedObjectClass.entity() }
    lastEntity.record(managedObjectClass, found)
    return found.entity
  }

  /// The layout of the entity of a class.
  func layout(ofObjectsOf managedObjectClass: NSManagedObject.Type) -> RowLayout {
    if let known = lastEntity.find(managedObjectClass) { return known }
    let entity = entity(of: managedObjectClass)
    return layout(of: entity) ?? .layout(of: entity)
  }

  /// The layout of an entity in the context's model.
  ///
  /// An entity of an equal model, such as one that was loaded separately, is found by name.
  func layout(of entity: NSEntityDescription) -> RowLayout? {
    if let layout = lastEntity.layout, layout.entity === entity { return layout }
    guard let layout = source?.layouts[entity] else { return nil }
    (lastEntity.managedObjectClass, lastEntity.layout) = (nil, layout)
    return layout
  }

  /// The number of walks over all objects, for tests of the cost of operations.
  package final var walkCount: Int { registry.walkCount }

  /// The number of objects that `retainsRegisteredObjects` keeps alive, for tests.
  package final var retainedCount: Int { retained?.count ?? 0 }

  // MARK: Insertion

  /// Registers a new object.
  func insertNew(_ object: NSManagedObject) {
    requireAccess("An object was inserted")
    requireKnownEntity(of: object)
    object.context = self
    registry.register(object)
    object.flags.formUnion(flagsOfObjects)
    retained?.insert(object)
    recordInsertion(of: object)
  }

  func insertObject(_ object: NSManagedObject) {
    requireAccess("insert(_:) was called")
    precondition(
      object.context == nil || object.context === self,
      "\(object.entity.name ?? "The object") belongs to another context. Get it from this context by its objectID."
    )
    if object.context == nil {
      insertNew(object)
      object.awakeFromInsert()
    } else {
      insertAgain(object)
    }
  }

  /// Reverts the deletion of an object whose row exists.
  ///
  /// If the row no longer exists, or never did, the next save writes it as a new one.
  private func insertAgain(_ object: NSManagedObject) {
    if object.flags.isDisjoint(with: [.inaccessible, .overwriting, .unsaved]) {
      if object.flags.contains(.deleted) { revertDeletion(of: object) }
      return
    }
    guard
      object.flags.contains(.deleted) || object.flags.contains(.inaccessible)
        || object.flags.change != .insertion
    else { return }
    object.becomeUnsaved()
    recordInsertion(of: object)
  }

  func recordInsertion(of object: NSManagedObject) {
    // The context already knows the change, so the accessors can use the fast path from the start.
    var flags = object.flags.union([.inserted, .unsaved, .pendingInsert, .writable])
    flags.subtract([.deleted, .pendingDelete, .propagated, .updated, .inaccessible, .fault])
    changes.setFlags(flags, of: object)
    changes.recordPending(object)
    scheduleEndOfEvent()
  }

  /// Stops the program if the object was not created with a layout of the context's model.
  ///
  /// An initializer with a context takes the layout from the context, even for an entity of an
  /// equal model.
  private func requireKnownEntity(of object: NSManagedObject) {
    if object.hasLayout(lastEntity.layout) { return }
    guard let source else {
      preconditionFailure(
        "A \(object.entity.name ?? "managed object") was inserted into a context that has neither a coordinator nor a parent. Set persistentStoreCoordinator or parent first."
      )
    }
    let (layouts, index) = (source.layouts.layouts, Int(object.layout.index))
    precondition(
      layouts.indices.contains(index) && layouts[index] === object.layout,
      "The entity \(object.entity.name ?? "without a name") is not of the context's model. Take it from the coordinator's model: NSEntityDescription.entity(forEntityName:in:)."
    )
  }

  // MARK: Deallocation

  /// Releases all objects, when the context is deallocated or forgets them.
  ///
  /// Objects that are still in use keep their values and load no others.
  func releaseObjects() {
    let changed = changes.listed + changes.pending
    var last: (number: UInt16, identity: StoreIdentity?) = (NSManagedObject.noStore, nil)
    (registry.close() + changed).forEachHeld { object in
      guard !object.needsNoDetaching else { return }
      if last.number != object.storeNumber {
        last = (object.storeNumber, storeIdentity(number: object.storeNumber))
      }
      object.detachFromContext(last.identity)
    }
    undoableObjects.releaseUnrestored()
  }
}
