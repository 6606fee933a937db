import Foundation
import ManagedObjectModel
import ObjectRows

/// Refreshing objects.
extension NSManagedObjectContext {
  func refreshObject(_ object: NSManagedObject, mergingChanges: Bool) {
    requireAccess("refresh(_:mergeChanges:) was called")
    guard object.context === self, !object.flags.contains(.unsaved) else { return }
    if mergingChanges {
      rebaseOnNewestRow(of: object)
      changes.refreshed.append(object)
    } else {
      discardValues(of: object)
      changes.invalidated.append(object)
    }
    moment += 1
    scheduleEndOfEvent()
  }

  func refreshEveryObject() {
    for object in registry.objects where !object.flags.contains(.unsaved) && !object.isFault {
      refreshObject(object, mergingChanges: true)
    }
  }

  /// Makes an object a fault without changes.
  func discardValues(of object: NSManagedObject) {
    changes.setFlags(
      object.flags.subtracting([.inserted, .updated, .deleted, .propagated, .inaccessible]),
      of: object)
    object.turnIntoFault()
  }

  /// Moves the changes of a changed object to its newest row, or discards the values of an
  /// unchanged one.
  private func rebaseOnNewestRow(of object: NSManagedObject) {
    guard object.flags.change != nil, !object.flags.contains(.inaccessible) else {
      return discardValues(of: object)
    }
    guard let newest = newestRow(of: object) else { return }
    rebase(object, on: newest)
  }

  /// Moves the changes of an object to its newest row, and informs the object.
  ///
  /// During a merge by a policy, the policy informs the object instead.
  func rebase(_ object: NSManagedObject, on newest: PlacedRow) {
    object.rebase(on: newest.row, page: newest.page)
    if !activity.isMergingByPolicy { object.awakeSilently(from: .refresh) }
  }

  /// The newest row of an object.
  ///
  /// The cache's row is used if it is fresh enough and the entity has no derived attributes.
  func newestRow(of object: NSManagedObject) -> PlacedRow? {
    if !object.layout.hasDerivedAttributes,
      let known = knownRow(of: object, maximumAge: stalenessInterval)
    {
      return known
    }
    let read = try? inStepWithParent {
      try source?.rows(withKeys: [object.key], layout: object.layout, in: object.storeNumber)
    }
    guard let found = read, let first = found.rows.first else { return nil }
    return PlacedRow(row: first.row, page: found.pages[Int(first.page)])
  }

  // MARK: All objects

  func forgetEverything() {
    requireAccess("reset() was called")
    forget { registry.mayHoldBatchFaults ? forgetAllButBatchFaults() : forgetAllObjects() }
  }

  /// Replaces the source and forgets the objects: their keys may name other rows in the new one.
  func replaceSource(_ replace: () -> Void) {
    guard source != nil else { return replace() }
    forget {
      let identifiers = forgetAllObjects()
      replace()
      return identifiers
    }
  }

  /// Forgets the objects that a closure removes, and all undo actions, locks and changes.
  ///
  /// - Parameter remove: Returns the identifiers of the removed objects.
  private func forget(_ remove: () -> [NSManagedObjectID]) {
    storedUndoManager?.removeAllActions()
    assignedStores = [:]
    locked = LockedObjects()
    moment += 1
    if retained != nil { retained = [] }
    let identifiers = remove()
    changes.removeAll()
    for observer in eventObservers.observers { observer.contextDidReset() }
    NotificationCenter.default.post(ContextNotification.allObjectsInvalidated(self, identifiers))
  }

  private func forgetAllObjects() -> [NSManagedObjectID] {
    let identifiers = registry.objects.map(\.objectID)
    releaseObjects()
    registry = ObjectRegistry()
    registry.open(for: self)
    return identifiers
  }

  /// Forgets the objects, except unread faults of fetch batches.
  ///
  /// Apple's batched arrays create objects when their batch is read, so an earlier reset does not
  /// affect them.
  private func forgetAllButBatchFaults() -> [NSManagedObjectID] {
    let released = registry.releaseAllButBatchFaults()
    let identifiers = released.map(\.objectID)
    let closed = ObjectRegistry()
    for object in released + changes.listed + changes.pending {
      if !object.needsNoDetaching { detach(object) }
      if object.context === self { object.registry = closed }
    }
    undoableObjects.releaseUnrestored()
    return identifiers
  }
}

extension RowLayout {
  /// Whether the store computes values of this entity.
  var hasDerivedAttributes: Bool { properties.contains { $0 is NSDerivedAttributeDescription } }
}
