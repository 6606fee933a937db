import ManagedObjectModel
import ObjectRows

/// Deletion, and what follows from it.
extension NSManagedObjectContext {
  func deleteObject(_ object: NSManagedObject) {
    requireAccess("delete(_:) was called")
    precondition(
      object.context === self,
      "\(object.entity.name ?? "The object") is not of this context, and cannot be deleted in it. Bring it over by its objectID."
    )
    object.prepareForDeletion()
    markDeleted(object)
    scheduleEndOfEvent()
  }

  func markDeleted(_ object: NSManagedObject) {
    guard !object.flags.contains(.deleted) else { return }
    changes.notePending(object)
    changes.setFlags(object.flags.union([.deleted, .pendingDelete]).subtracting(.propagated), of: object)
  }

  /// Applies the delete rules of what was deleted, round by round, until nothing more is deleted.
  func propagateDeletions() {
    while true {
      let deleted = changes.awaitingPropagation(fromEarlierEvents: !propagatesDeletesAtEndOfEvent)
      guard !deleted.isEmpty else { return }
      let plans = DeletePlans(layouts: layouts)
      let all = closure(of: deleted, plans)
      bringInDestinations(of: all, plans)
      for object in all { nullify(object, plans.plan(of: object.layout)) }
      // Only now: members that are brought in for it still have the deleted objects, so that an undo finds them there.
      for object in all { object.flags.insert(.propagated) }
    }
  }

  /// The deleted objects, and those that the rule Cascade deletes with them.
  private func closure(of deleted: [NSManagedObject], _ plans: DeletePlans) -> [NSManagedObject] {
    var all: [NSManagedObject] = []
    var round = deleted
    while !round.isEmpty {
      all += round
      bringInWhatDeletionsConcern(round, plans)
      var next: [NSManagedObject] = []
      for object in round {
        for step in plans.plan(of: object.layout).cascades {
          for destination in object.related(step) where !destination.flags.contains(.deleted) {
            destination.prepareForDeletion()
            markDeleted(destination)
            next.append(destination)
          }
        }
      }
      round = next
    }
    return all
  }

  /// Reads the rows and the members that the delete rules look at, in one query for each relationship.
  private func bringInWhatDeletionsConcern(_ objects: [NSManagedObject], _ plans: DeletePlans) {
    let saved = objects.filter { $0.flags.isDisjoint(with: [.unsaved, .inaccessible]) }
    for group in ObjectGroup.groups(of: saved) {
      let plan = plans.plan(of: group.layout)
      if plan.needsRows { loadRows(of: group.objects) }
      for step in plan.toMany { loadMembers(ofRelationship: step.relationship, step.ordinal, of: group) }
    }
  }

  /// Reads the rows of the objects at the ends of to-one relationships, which are about to be changed.
  private func bringInDestinations(of objects: [NSManagedObject], _ plans: DeletePlans) {
    var destinations: [NSManagedObject] = []
    for object in objects where !object.flags.contains(.inaccessible) {
      for step in plans.plan(of: object.layout).nullified where !step.relationship.isToMany {
        guard !isDestinationDeleted(step.ordinal, of: object), let destination = object.destination(step.ordinal),
          destination.isFault, !destination.hasRow
        else { continue }
        destinations.append(destination)
      }
    }
    loadRows(of: destinations)
  }

  /// Takes an object out of the relationships of those that stay, and lets it forget them.
  private func nullify(_ object: NSManagedObject, _ plan: DeletePlan) {
    for step in plan.nullified {
      if !step.relationship.isToMany, isDestinationDeleted(step.ordinal, of: object) { continue }
      let related = object.related(step)
      let remaining = related.filter { $0.flags.contains(.deleted) }
      guard remaining.count < related.count else { continue }
      object.beginChange(of: step.ordinal)
      if step.relationship.isToMany {
        object.relate(step.relationship, step.ordinal, to: remaining)
      } else {
        object.relate(step.relationship, step.ordinal, to: nil)
      }
    }
  }

  /// Whether a to-one relationship leads to nothing, or to something deleted; answered without following it.
  private func isDestinationDeleted(_ ordinal: Int, of object: NSManagedObject) -> Bool {
    if let known = object.state?.destinations[ordinal] { return known.flags.contains(.deleted) }
    guard object.hasRow || object.key < 0 else { return false }
    let slot = object.owner.slotTable[ordinal]
    guard !slot.isNull(in: object.row) else { return true }
    let value = slot.load(from: object.row, as: ToOneValue.self)
    let layout = layouts[value.layoutIndex]
    let storeNumber = storeNumber(ofKey: value.key, layout, relatedTo: object.storeNumber)
    let known = registry.object(value.key, rootIndex: layout.rootIndex, storeNumber: storeNumber)
    return known?.flags.contains(.deleted) ?? false
  }
}

extension NSManagedObject {
  /// The objects at the far end of a relationship, known or brought in.
  final func related(_ step: DeletePlan.Step) -> [NSManagedObject] {
    guard !flags.contains(.inaccessible) else { return [] }
    prepareAccess()
    return step.relationship.isToMany
      ? members(step.ordinal).objects : destination(step.ordinal).map { [$0] } ?? []
  }
}
