import ManagedObjectModel
import ObjectRows

/// Deletion and delete rules.
extension NSManagedObjectContext {
  func deleteObject(_ object: NSManagedObject) {
    requireAccess("delete(_:) was called")
    precondition(
      object.context === self,
      "\(object.entity.name ?? "The object") belongs to another context, and cannot be deleted in this one. Get it from this context by its objectID."
    )
    object.prepareForDeletion()
    markDeleted(object)
    scheduleEndOfEvent()
  }

  func markDeleted(_ object: NSManagedObject) {
    guard !object.flags.contains(.deleted) else { return }
    changes.recordPending(object)
    changes.setFlags(
      object.flags.union([.deleted, .pendingDelete]).subtracting(.propagated), of: object)
  }

  /// Reverts a deletion that was not saved.
  ///
  /// Delete rules that were applied are not reverted: the object leaves its relationships with
  /// objects that are still deleted.
  func revertDeletion(of object: NSManagedObject) {
    if object.flags.contains(.propagated) {
      for (ordinal, property) in object.layout.properties.enumerated() {
        guard let relationship = property as? NSRelationshipDescription else { continue }
        keepRelated(to: object, DeletePlan.Step(relationship: relationship, ordinal: ordinal)) {
          $0 === object || !$0.flags.contains(.deleted)
        }
      }
    }
    var flags = object.flags.subtracting([.deleted, .pendingDelete, .propagated])
    // Observers were notified of a deletion in an earlier event.
    if !object.flags.contains(.pendingDelete) { flags.insert(.pendingInsert) }
    if !object.changedOrdinals.isEmpty { flags.insert(.updated) }
    changes.setFlags(flags, of: object)
    changes.recordPending(object)
    scheduleEndOfEvent()
  }

  /// Applies the delete rules in rounds, until no more objects are deleted.
  ///
  /// If a store cannot be read, the objects wait for the next event, and a save fails.
  func propagateDeletions() {
    let includesEarlier = !propagatesDeletesAtEndOfEvent || reads.hasStoppedDeletions
    reads.hasStoppedDeletions = false
    while true {
      let deleted = changes.awaitingPropagation(fromEarlierEvents: includesEarlier)
      guard !deleted.isEmpty else { return }
      do {
        try applyDeleteRules(to: deleted)
      } catch {
        reads.failure = error
        reads.hasStoppedDeletions = true
        return
      }
    }
  }

  var deletePlans: DeletePlans { DeletePlans(layouts: layouts, denies: !savesUnvalidated) }

  private func applyDeleteRules(to deleted: [NSManagedObject]) throws {
    let plans = deletePlans
    let all = try closure(of: deleted, plans)
    for end in try danglingRelationships(of: all, plans) { nullify(end.object, end.step) }
    // Set last, so that an undo finds the deleted objects among the members loaded here.
    all.forEachHeld { $0.flags.insert(.propagated) }
  }

  /// The deleted objects, and those that the rule Cascade deletes with them.
  private func closure(of deleted: [NSManagedObject], _ plans: DeletePlans) throws
    -> [NSManagedObject]
  {
    var all: [NSManagedObject] = []
    var round = deleted
    while !round.isEmpty {
      if all.isEmpty { all = round } else { all += round }
      try loadObjectsForDeletion(round, plans)
      var next: [NSManagedObject] = []
      var plan = RunningDeletePlan(plans)
      round.forEachHeld { object in
        for step in plan.of(object).cascades {
          object.related(step).forEachHeld { destination in
            guard !destination.flags.contains(.deleted) else { return }
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

  /// Loads the rows and members that the delete rules need, with one query for each relationship.
  func loadObjectsForDeletion(_ objects: [NSManagedObject], _ plans: DeletePlans) throws {
    let areSaved = objects.allHeldSatisfy { $0.flags.isDisjoint(with: [.unsaved, .inaccessible]) }
    let saved =
      areSaved ? objects : objects.filter { $0.flags.isDisjoint(with: [.unsaved, .inaccessible]) }
    // An undo after the save needs the values that the store then lacks.
    let canBeUndone = storedUndoManager?.isUndoRegistrationEnabled == true
    for group in ObjectGroup.groups(of: saved) {
      let plan = plans.plan(of: group.layout)
      if plan.needsRows || canBeUndone { try readRows(of: group.objects) }
      for step in plan.toMany {
        try readMembers(of: step.relationship, step.ordinal, group)
      }
    }
  }

  /// A relationship of a deleted object that may point to objects that are not deleted.
  private struct DanglingRelationship {
    let object: NSManagedObject
    let step: DeletePlan.Step
  }

  /// The relationships that may point to objects that are not deleted.
  ///
  /// This also loads the rows of the objects that will change.
  private func danglingRelationships(of objects: [NSManagedObject], _ plans: DeletePlans)
    throws -> [DanglingRelationship]
  {
    var ends: [DanglingRelationship] = []
    var missing: [NSManagedObject] = []
    var plan = RunningDeletePlan(plans)
    var destinations = DeletedDestinations(context: self)
    objects.forEachHeld { object in
      for step in plan.of(object).nullified {
        if step.relationship.isToMany {
          ends.append(DanglingRelationship(object: object, step: step))
        } else if !destinations.isDeleted(step.ordinal, of: object) {
          ends.append(DanglingRelationship(object: object, step: step))
          guard !object.flags.contains(.inaccessible),
            let destination = object.destination(step.ordinal)
          else {
            continue
          }
          if destination.isFault, !destination.hasRow { missing.append(destination) }
        }
      }
    }
    try readRows(of: missing)
    return ends
  }

  /// Removes an object from the relationships of objects that are not deleted.
  private func nullify(_ object: NSManagedObject, _ step: DeletePlan.Step) {
    keepRelated(to: object, step) { $0.flags.contains(.deleted) }
  }

  /// Removes the objects that do not satisfy a condition from a relationship.
  @inline(__always)
  private func keepRelated(
    to object: NSManagedObject, _ step: DeletePlan.Step,
    where isKept: (NSManagedObject) -> Bool
  ) {
    let related = object.related(step)
    let remaining = related.filter(isKept)
    guard remaining.count < related.count else { return }
    object.beginChange(of: step.ordinal)
    if step.relationship.isToMany {
      object.relate(step.relationship, step.ordinal, to: remaining)
    } else {
      object.relate(step.relationship, step.ordinal, to: nil)
    }
  }
}

extension NSManagedObject {
  /// The objects at the other end of a relationship, which are loaded if necessary.
  final func related(_ step: DeletePlan.Step) -> [NSManagedObject] {
    guard !flags.contains(.inaccessible) else { return [] }
    prepareAccess()
    return step.relationship.isToMany
      ? members(step.ordinal).objects : destination(step.ordinal).map { [$0] } ?? []
  }
}
