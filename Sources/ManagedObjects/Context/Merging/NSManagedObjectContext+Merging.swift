import Foundation
import ManagedObjectModel
import ObjectRows

/// Merging the saves of other contexts.
extension NSManagedObjectContext {
  /// Merges changes: registers inserted objects, refreshes updated ones but keeps their unsaved
  /// changes, and removes deleted ones.
  func merge(_ saved: SavedChanges) {
    guard source != nil else { return }
    adoptAliases()
    let saved = withPresentKeys(saved)
    moment += 1
    advanceGeneration()
    endEvent()
    var merged = ContextNotification.Changes<NSManagedObjectID>()
    for row in saved.inserted {
      let object = object(row.key, layout: row.layout, storeNumber: row.storeNumber)
      changes.merged.inserted.append(object)
      merged.inserted.append(object.objectID)
    }
    for row in saved.updated {
      guard let object = known(row) else {
        recordUpdate(ofUnknown: row)
        continue
      }
      merged.updated.append(object.objectID)
      // The values of a fault were not read, so observers need no notification.
      if object.isFault, object.flags.change == nil {
        discardValues(of: object)
        if isFollowed(row) { changes.merged.updated.append(object) }
      } else {
        refreshObject(object, mergingChanges: true)
      }
    }
    let deleted = saved.deleted.compactMap(known)
    merged.deleted = ContiguousArray(deleted.map(\.objectID))
    acceptDeletions(of: deleted, isWholeSave: saved.isWholeSave)
    endEvent()
    guard !merged.inserted.isEmpty || !merged.updated.isEmpty || !merged.deleted.isEmpty else {
      return
    }
    NotificationCenter.default.post(ContextNotification.didMergeChanges(self, merged))
  }

  /// Replaces temporary keys by the keys under which the parent has saved the rows since.
  private func withPresentKeys(_ saved: SavedChanges) -> SavedChanges {
    guard storedParent != nil else { return saved }
    var result = saved
    result.inserted = saved.inserted.map(withPresentKey)
    result.updated = saved.updated.map(withPresentKey)
    result.deleted = saved.deleted.map(withPresentKey)
    return result
  }

  private func withPresentKey(_ row: SavedChanges.Row) -> SavedChanges.Row {
    guard let saved = alias(of: row.key) else { return row }
    return SavedChanges.Row(key: saved.key, layout: row.layout, storeNumber: saved.storeNumber)
  }

  /// Registers an updated row if it may belong to the results of a fetched results controller now.
  private func recordUpdate(ofUnknown row: SavedChanges.Row) {
    guard isFollowed(row) else { return }
    changes.merged.updated.append(
      object(row.key, layout: row.layout, storeNumber: row.storeNumber))
  }

  private func isFollowed(_ row: SavedChanges.Row) -> Bool {
    eventObservers.observers.contains { $0.follows(row.layout.index) }
  }

  private func known(_ row: SavedChanges.Row) -> NSManagedObject? {
    registry.object(row.key, rootIndex: row.layout.rootIndex, storeNumber: row.storeNumber)
  }

  /// Removes objects that were deleted elsewhere.
  private func acceptDeletions(of objects: [NSManagedObject], isWholeSave: Bool) {
    guard !objects.isEmpty else { return }
    let others = objectsReferencing(objects, isWholeSave: isWholeSave)
    changes.merged.deleted += objects
    releaseDeleted(ContiguousArray(objects))
    let gone = Set(objects.map(ObjectIdentifier.init))
    for object in others { object.forgetDestinations(gone) }
  }

  /// Objects that may still reference deleted ones in memory.
  ///
  /// If the whole save is known, unchanged objects that referenced them were saved too and are
  /// refreshed. The rest are objects with changes in this context, and destinations of the deleted
  /// objects. Otherwise, and for relationships without an inverse, all objects are searched.
  private func objectsReferencing(_ deleted: [NSManagedObject], isWholeSave: Bool)
    -> [NSManagedObject]
  {
    guard deleted.contains(where: { $0.flags.contains(.related) }) else { return [] }
    guard isWholeSave,
      deleted.allSatisfy({ layouts.deletionChangesReferences(to: $0.layout) })
    else { return registry.statefulObjects }
    return Array(changes.objects) + deleted.flatMap(\.knownDestinations)
  }

  // MARK: Notifications

  func mergeSave(_ notification: Notification) {
    requireAccess("mergeChanges(fromContextDidSave:) was called")
    let saver = notification.object as? NSManagedObjectContext
    // A child's save has already changed its parent.
    if let saver, saver.isOrDescends(from: self) { return }
    var saved = SavedChanges(notification.userInfo ?? [:], for: self)
    saved.isWholeSave = saver != nil
    merge(saved)
  }

  private func isOrDescends(from context: NSManagedObjectContext) -> Bool {
    self === context || storedParent?.isOrDescends(from: context) == true
  }

  static func mergeRemoteSave(_ data: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
    for context in contexts {
      context.performAndWait {
        let changes = SavedChanges(data, for: context)
        context.forgetRows(changes.updated + changes.deleted)
        context.merge(changes)
        if data[NSInvalidatedAllObjectsKey] != nil { context.refreshAllObjects() }
      }
    }
  }

  /// Removes rows that were changed elsewhere from the coordinator's cache.
  private func forgetRows(_ rows: [SavedChanges.Row]) {
    guard let coordinator = persistentStoreCoordinator else { return }
    for row in rows {
      coordinator.openStore(number: row.storeNumber)?.forgetCachedRow(
        row.key, rootIndex: row.layout.rootIndex)
    }
  }
}

extension SavedChanges {
  /// Reads the user info of a save notification, or a dictionary with the same keys, with objects,
  /// identifiers or URIs.
  init(_ userInfo: [AnyHashable: Any], for context: NSManagedObjectContext) {
    self.init()
    let reader = SavedRowReader(context: context)
    inserted = reader.rows(userInfo, [NSInsertedObjectsKey, NSInsertedObjectIDsKey])
    updated = reader.rows(
      userInfo,
      [
        NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey,
        NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey,
      ])
    deleted = reader.rows(userInfo, [NSDeletedObjectsKey, NSDeletedObjectIDsKey])
  }
}

/// Finds the rows that objects, identifiers and URIs name, in the stores of one context.
private struct SavedRowReader {
  let context: NSManagedObjectContext

  /// The rows under the given keys of the user info, without repetition.
  ///
  /// They are sorted by store, root entity and row key, because sets have no order.
  func rows(_ userInfo: [AnyHashable: Any], _ names: [String]) -> [SavedChanges.Row] {
    var known = Set<RowName>()
    return names.flatMap { elements(of: userInfo[$0]).compactMap(row) }
      .filter {
        known.insert(
          RowName(key: $0.key, rootIndex: $0.layout.rootIndex, storeNumber: $0.storeNumber)
        ).inserted
      }
      .sorted { one, other in
        if one.storeNumber != other.storeNumber { return one.storeNumber < other.storeNumber }
        if one.layout.rootIndex != other.layout.rootIndex {
          return one.layout.rootIndex < other.layout.rootIndex
        }
        return one.key < other.key
      }
  }

  private func elements(of value: Any?) -> [Any] {
    switch value {
    case let objects as Set<NSManagedObject>: Array(objects)
    case let identifiers as Set<NSManagedObjectID>: Array(identifiers)
    case let set as NSSet: set.allObjects
    case let array as [Any]: array
    case let url as URL: [url]
    case let set as Set<AnyHashable>: set.map(\.base)
    default: []
    }
  }

  private func row(_ element: Any) -> SavedChanges.Row? {
    switch element {
    case let object as NSManagedObject: row(of: object)
    case let identifier as NSManagedObjectID: row(of: identifier)
    case let url as URL:
      context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url).flatMap(
        row(of:))
    default: nil
    }
  }

  private func row(of object: NSManagedObject) -> SavedChanges.Row? {
    // An object without a context may belong to any coordinator. Temporary keys are unique
    // across coordinators, so they need no translation.
    let isForeign =
      object.context.map {
        $0.persistentStoreCoordinator !== context.persistentStoreCoordinator
      } ?? (object.key >= 0)
    if isForeign { return row(of: object.objectID) }
    guard let layout = context.layouts[object.layout.entity] else { return nil }
    return SavedChanges.Row(key: object.key, layout: layout, storeNumber: object.storeNumber)
  }

  private func row(of identifier: NSManagedObjectID) -> SavedChanges.Row? {
    guard let layout = context.layouts[identifier.entity], let identity = identifier.storeIdentity,
      let number = context.source?.number(ofStore: identity)
    else { return nil }
    return SavedChanges.Row(key: identifier.key, layout: layout, storeNumber: number)
  }
}
