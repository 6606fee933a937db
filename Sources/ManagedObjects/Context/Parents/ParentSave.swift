import ManagedObjectModel
import ObjectRows

/// A save into a parent context: the child's changes become changes of the parent.
///
/// The child's values win over the parent's. Conflicts are detected when the parent is saved.
struct ParentSave {
  let child: NSManagedObjectContext
  let parent: NSManagedObjectContext

  /// Applies the changes, on the parent's queue.
  func run(_ objects: ContiguousArray<NSManagedObject>) {
    for object in objects where object.flags.change == .insertion { applyInsertion(of: object) }
    for object in objects where object.flags.change == .update { applyValues(of: object) }
    // Relationships are set after all their objects exist.
    for object in objects where object.flags.change != .deletion { applyRelationships(of: object) }
    for object in objects where object.flags.change == .deletion { applyDeletion(of: object) }
    parent.endEvent()
  }

  private func counterpart(of object: NSManagedObject) -> NSManagedObject {
    // If the parent reads from its own parent, its objects may get other keys meanwhile.
    if parent.storedParent != nil { child.adoptAliases() }
    return parent.object(object.key, layout: object.layout, storeNumber: object.storeNumber)
  }

  /// The changed properties, and those that hooks have set.
  private func ordinalsToSave(of object: NSManagedObject) -> [Int] {
    var changed = object.netChanges(among: nil)
    if !changed.isEmpty { changed.formUnion(object.silentChanges) }
    return changed.ordinals
  }

  private func applyInsertion(of object: NSManagedObject) {
    if let deleted = deletedCounterpart(of: object) {
      parent.revertDeletion(of: deleted)
      return copyValues(object.layout.slots.indices, of: object, to: deleted)
    }
    let layout = object.layout
    let state = ObjectState(layout: layout, committed: nil)
    let row = state.makeOwnRow(copying: object.row)
    row.key = object.key
    for ordinal in layout.slots.indices where layout.slots[ordinal].kind == .toOne {
      layout.setNil(layout.slots[ordinal], in: row)
    }
    let made = NSManagedObject.made(
      state, row, key: object.key, storeNumber: object.storeNumber, in: parent)
    parent.registry.register(made)
    parent.recordInsertion(of: made)
    parent.assignedStores[object.key] = child.assignedStores[object.key]
  }

  /// The parent's deleted object that the child has inserted again, by an undo.
  private func deletedCounterpart(of object: NSManagedObject) -> NSManagedObject? {
    let known = parent.registry.object(
      object.key, rootIndex: object.layout.rootIndex, storeNumber: object.storeNumber)
    return known?.flags.contains(.deleted) == true ? known : nil
  }

  private func applyValues(of object: NSManagedObject) {
    let counterpart = counterpart(of: object)
    copyValues(ordinalsToSave(of: object), of: object, to: counterpart)
  }

  private func copyValues(
    _ ordinals: some Sequence<Int>, of object: NSManagedObject, to counterpart: NSManagedObject
  ) {
    for ordinal in ordinals {
      let kind = object.layout.slots[ordinal].kind
      guard kind != .none, kind != .toOne else { continue }
      counterpart.beginChange(of: ordinal).decoded[ordinal] = nil
      object.layout.copyValue(ordinal, from: object.row, to: counterpart.row)
      counterpart.notifyDidSet(ordinal)
    }
  }

  private func applyRelationships(of object: NSManagedObject) {
    let counterpart = counterpart(of: object)
    let ordinals =
      object.flags.change == .insertion
      ? Array(object.layout.properties.indices) : ordinalsToSave(of: object)
    for ordinal in ordinals {
      guard let relationship = object.layout.properties[ordinal] as? NSRelationshipDescription
      else { continue }
      if relationship.isToMany {
        applyMembers(of: relationship, ordinal, object, counterpart)
      } else {
        applyDestination(of: relationship, ordinal, object, counterpart)
      }
    }
  }

  private func applyDestination(
    of relationship: NSRelationshipDescription, _ ordinal: Int, _ object: NSManagedObject,
    _ counterpart: NSManagedObject
  ) {
    let destination = object.destination(ordinal).map(self.counterpart)
    counterpart.prepareAccess()
    guard counterpart.destination(ordinal) !== destination else { return }
    counterpart.beginChange(of: ordinal)
    counterpart.relate(relationship, ordinal, to: destination)
    counterpart.notifyDidSet(ordinal)
  }

  private func applyMembers(
    of relationship: NSRelationshipDescription, _ ordinal: Int, _ object: NSManagedObject,
    _ counterpart: NSManagedObject
  ) {
    guard let members = object.state?.members[ordinal] else { return }
    if relationship.isOrdered {
      guard members.isChanged || object.flags.change == .insertion, members.isLoaded else { return }
      return counterpart.replaceMembers(
        of: relationship, ordinal, with: members.objects.map(self.counterpart))
    }
    let difference = members.difference
    for removed in difference.removed where removed.flags.change != .deletion {
      counterpart.removeMember(self.counterpart(of: removed), relationship, ordinal)
    }
    for added in difference.added {
      counterpart.addMember(self.counterpart(of: added), relationship, ordinal)
    }
  }

  private func applyDeletion(of object: NSManagedObject) {
    parent.markDeleted(counterpart(of: object))
  }
}

extension NSManagedObjectContext {
  func saveChanges(into parent: NSManagedObjectContext) throws {
    let objects = changes.objects
    parent.performAndWait {
      adoptAliases()
      ParentSave(child: self, parent: parent).run(objects)
    }
    var saved = SavedObjects()
    let plans = SavePlans(layouts: layouts)
    var writer = SavedPageWriter(
      plans: plans, ContiguousArray(objects.filter { $0.flags.change != .deletion }))
    for object in objects {
      switch object.flags.change {
      case .insertion: saved.inserted.append(object)
      case .update: saved.updated.append(object)
      case .deletion: saved.deleted.append(object)
      case nil: continue
      }
      guard object.flags.change != .deletion else { continue }
      becomeClean(object, version: object.row.version, &writer)
    }
    finishSave(saved)
    parent.announce(saved, by: self)
  }

  /// Obtains permanent keys from the root context.
  ///
  /// Objects that no parent knows get their keys here.
  func obtainKeys(of objects: [NSManagedObject], from parent: NSManagedObjectContext) throws {
    let known = objects.filter { !$0.flags.contains(.unsaved) }
    try parent.performAndWait {
      try parent.makeIdentifiersPermanent(
        known.compactMap {
          parent.registry.object(
            $0.key, rootIndex: $0.layout.rootIndex, storeNumber: NSManagedObject.noStore)
        })
    }
    adoptAliases()
    try obtainKeys(of: objects.filter { $0.key < 0 })
  }

  /// Whether objects that were never saved in a store may have members in the parent.
  var keepsMembersOfUnsavedObjects: Bool { storedParent != nil }
}

extension NSManagedObject {
  /// Creates an object with a separate row, for the parent of a child context.
  static func made(
    _ state: ObjectState, _ row: RowReference, key: Int64, storeNumber: UInt16,
    in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let blueprint = state.layout.blueprint
    return _Materialization(
      blueprint.managedObjectClass, owner: state, row: row, key: key, storeNumber: storeNumber,
      flags: blueprint.flags.union([.stateful, .registered]).union(context.flagsOfObjects),
      context: context
    ).make()
  }
}
