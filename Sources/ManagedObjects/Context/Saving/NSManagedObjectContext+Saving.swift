import Foundation
import ManagedObjectModel
import ObjectRows

/// The steps of a save: hooks, deletions, validation, then the stores or the parent.
extension NSManagedObjectContext {
  func saveChanges() throws {
    requireAccess("save() was called")
    guard !activity.isSaving else { throw SaveError.recursive }
    adoptAliases()
    processPendingChanges()
    guard !changes.isEmpty || mustFindRowsUnchanged else { return }
    precondition(
      source != nil,
      "The context has changes and neither a coordinator nor a parent to save them in. Set persistentStoreCoordinator or parent first."
    )
    activity.isSaving = true
    defer { activity.isSaving = false }
    NotificationCenter.default.post(ContextNotification.willSave(self))
    reads.failure = nil
    try readUnreadObjects()
    try prepareToSave()
    if !savesUnvalidated { try validateChanges() }
    try requireSuccessfulReads()
    if let storedParent { try saveChanges(into: storedParent) } else { try StoreSave(self).run() }
  }

  /// Calls `willSave()` until it causes no more changes.
  private func prepareToSave() throws {
    endEvent()
    var round = changes.objects
    for _ in 0..<Limits.willSaveRounds {
      if changes.mayHaveHooks { round.forEachHeld { $0.willSave() } }
      guard changes.hasPending else { return }
      round = endEvent().filter { $0.flags.change != nil }
    }
    throw SaveError.endlessChanges
  }

  private func validateChanges() throws {
    var failures: [any Error] = []
    var bits = ValidationByBits()
    changes.objects.forEachHeld { object in
      if bits.suffice(for: object) { return }
      do {
        switch object.flags.change {
        case .deletion: try object.validateForDelete()
        case .insertion: try object.validateForInsert()
        case .update: try object.validateForUpdate()
        case nil: break
        }
      } catch {
        failures += details(of: error)
      }
    }
    if let error = combined(failures) { throw error }
  }

  func lock(_ object: NSManagedObject) {
    requireAccess("detectConflicts(for:) was called")
    guard object.context === self, !object.flags.contains(.unsaved) else { return }
    object.prepareAccess()
    locked.add(object)
  }

  /// Whether a save must check rows even if nothing was changed.
  private var mustFindRowsUnchanged: Bool {
    storedParent == nil
      && locked.objects.contains { $0.flags.change == nil && $0.context === self && $0.hasRow }
  }

  /// The objects of a store whose rows must be unchanged although they are not saved.
  func lockedRows(in open: OpenStore) -> [NSManagedObject] {
    locked.objects.filter {
      $0.flags.change == nil && $0.storeNumber == open.number && $0.context === self && $0.hasRow
    }
  }

  /// Completes a save for the saved objects: hooks, notifications, and the removal of deleted
  /// objects.
  func finishSave(_ saved: SavedObjects) {
    locked = LockedObjects()
    moment += 1
    if changes.mayHaveHooks { saved.forEach { $0.didSave() } }
    NotificationCenter.default.post(
      ContextNotification.didSave(
        self, inserted: changes.notified.insertedSet(saved.inserted),
        updated: ObjectSet(saved.updated), deleted: changes.notified.deletedSet(saved.deleted),
        queryGeneration: queryGenerationToken
      ))
    NotificationCenter.default.post(
      ContextNotification.didSaveObjectIDs(
        self, inserted: self.identifiers(of: saved.inserted),
        updated: self.identifiers(of: saved.updated), deleted: self.identifiers(of: saved.deleted)
      ))
    releaseDeleted(saved.deleted)
    changes.tidy()
    changes.notified.recordSave(leavesChanges: !changes.isEmpty)
  }

  /// The identifiers of saved objects, as a set that is made on demand.
  private func identifiers(of objects: ContiguousArray<NSManagedObject>)
    -> SetOnDemand<NSManagedObjectID>
  {
    let identifiers = SavedIdentifiers(of: objects, storeIdentity: storeIdentity(number:))
    return SetOnDemand(making: { identifiers.elements })
  }

  /// Removes objects from the context after their deletion was saved.
  func releaseDeleted(_ objects: ContiguousArray<NSManagedObject>) {
    guard !objects.isEmpty else { return }
    registry.remove(objects)
    objects.forEachHeld { object in
      if !object.ownerKnowsStore {
        object.ownState().storeIdentity = storeIdentity(number: object.storeNumber)
      }
      changes.setFlags(
        object.flags.subtracting([
          .deleted, .propagated, .registered, .inserted, .updated, .unsaved,
        ]), of: object)
      object.context = nil
      handleRemoval(of: object)
    }
    retained?.subtract(objects)
  }
}

/// The objects of a save, in the order of their first changes.
struct SavedObjects {
  var inserted: ContiguousArray<NSManagedObject> = []
  var updated: ContiguousArray<NSManagedObject> = []
  var deleted: ContiguousArray<NSManagedObject> = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Adds the objects that one store saved.
  ///
  /// With a single store its lists are shared, not copied.
  mutating func add(_ batch: StoreBatch) {
    if isEmpty {
      (inserted, updated, deleted) = (batch.inserted, batch.updated, batch.deleted)
    } else {
      inserted += batch.inserted
      updated += batch.updated
      deleted += batch.deleted
    }
  }

  @inline(__always)
  func forEach(_ body: (NSManagedObject) -> Void) {
    inserted.forEachHeld(body)
    updated.forEachHeld(body)
    deleted.forEachHeld(body)
  }
}

/// The errors of a save that the context detects, not a store.
enum SaveError {
  static var recursive: NSError {
    cocoaError(
      NSManagedObjectContextLockingError,
      "save() was called within a save of the same context: by a hook, a validation or an observer. Save once, afterwards."
    )
  }

  static var endlessChanges: NSError {
    cocoaError(
      NSCoreDataError,
      "Failed to process pending changes before save. The context is still dirty after \(Limits.willSaveRounds) attempts. Typically this recursive dirtying is caused by a bad validation method, willSave(), or notification handler: compare before you set a property."
    )
  }

  static func endlessConflicts(_ conflicts: Int) -> NSError {
    cocoaError(
      NSManagedObjectMergeError,
      "After \(Limits.conflictRounds) attempts \(conflicts) rows still conflict with the save: the merge policy does not resolve them, or other contexts keep saving them."
    )
  }

  static func noStore(for object: NSManagedObject) -> NSError {
    cocoaError(
      NSPersistentStoreSaveError,
      "The \(object.entity.name ?? "object") cannot be saved: no open writable store has it. Add a store, or the entity to a configuration.",
      [NSAffectedObjectsErrorKey: [object]])
  }

  static func otherStore(_ relationship: NSPropertyDescription, of object: NSManagedObject)
    -> NSError
  {
    cocoaError(
      NSManagedObjectExternalRelationshipError,
      "\(object.place(relationship)) connects objects in different stores. Keep both objects in the same store, or use a fetched property.",
      [NSAffectedObjectsErrorKey: [object], NSValidationKeyErrorKey: relationship.name])
  }

  static func dangling(_ relationship: NSPropertyDescription, of object: NSManagedObject) -> NSError
  {
    cocoaError(
      NSManagedObjectReferentialIntegrityError,
      "\(object.place(relationship)) references an object that is deleted, or neither saved nor part of this save. Insert it into the context first, or remove the reference.",
      [NSAffectedObjectsErrorKey: [object], NSValidationKeyErrorKey: relationship.name])
  }
}
