import Foundation
import ManagedObjectModel
import ObjectRows

/// Applies the plans for the conflicts of one context.
struct MergePerformer {
  let context: any MergingContext

  /// Creates a performer for the object's context.
  init(for object: NSManagedObject) {
    guard let context = object.managedObjectContext else {
      preconditionFailure(
        "A merge conflict names an object of \(object.entity.name ?? "an entity") that is in no context. Resolve conflicts before the object leaves its context."
      )
    }
    self.context = context
  }

  func perform(_ plan: MergePlan, on object: NSManagedObject) {
    switch plan {
    case .fail: break
    case .discardChanges: context.refresh(object, mergeChanges: false)
    case .keepChanges(let replaced):
      context.activity.isMergingByPolicy = true
      context.refresh(object, mergeChanges: true)
      context.activity.isMergingByPolicy = false
      for (name, value) in replaced { object.setValue(liveValue(value), forKey: name) }
      object.awakeSilently(from: .mergePolicy)
    case .recreateRow: context.insert(object)
    case .acceptDeletion: context.delete(object)
    }
  }

  func perform(_ steps: [ConstraintPlan.Step], of conflict: NSConstraintConflict) {
    let database = conflict.databaseObject
    let object = { (party: ConstraintPlan.Party) -> NSManagedObject? in
      if case .object(let index) = party { conflict.conflictingObjects[index] } else { database }
    }
    for step in steps {
      switch step {
      case .merge(let duplicate, let survivor, let rule):
        guard let duplicate = object(duplicate), let survivor = object(survivor) else { continue }
        merge(duplicate, into: survivor, rule)
      case .discard(let index): discard(conflict.conflictingObjects[index])
      case .discardChanges(let index):
        context.refresh(conflict.conflictingObjects[index], mergeChanges: false)
      case .restoreConstraint(let index):
        restore(conflict.constraint, of: conflict.conflictingObjects[index])
      }
    }
  }

  /// Deletes an object that was never saved, after clearing its relationships with the delete rule
  /// Deny or No Action.
  private func discard(_ object: NSManagedObject) {
    for (name, relationship) in object.entity.relationshipsByName {
      switch relationship.deleteRule {
      case .denyDeleteRule, .noActionDeleteRule:
        let none: Any? =
          relationship.isOrdered ? NSOrderedSet() : relationship.isToMany ? NSSet() : nil
        object.setValue(none, forKey: name)
      default: break
      }
    }
    context.delete(object)
  }

  private func restore(_ names: [String], of object: NSManagedObject) {
    let names = names.compactMap { $0.split(separator: ".").first.map(String.init) }
    let committed = object.committedValues(forKeys: names)
    for name in names {
      object.setValue(liveValue(committed[name] ?? NSNull()), forKey: name)
    }
  }

  /// Converts a snapshot's value to an object's value.
  private func liveValue(_ value: Any) -> Any? {
    if value is NSNull { return nil }
    return (value as? NSManagedObjectID).map(context.object(with:)) ?? value
  }
}

// MARK: - Merging an object into another

extension MergePerformer {
  private func merge(
    _ duplicate: NSManagedObject, into survivor: NSManagedObject, _ rule: ConstraintPlan.Rule
  ) {
    let changed = rule == .allValues ? nil : Set(duplicate.changedValues().keys)
    for name in survivor.entity.propertiesByName.keys.sorted() {
      switch duplicate.entity.propertiesByName[name] {
      case let attribute as NSAttributeDescription
      where !(attribute is NSDerivedAttributeDescription):
        guard changed?.contains(name) ?? true, accepts(rule, survivor, attribute) else { continue }
        survivor.setValue(duplicate.value(forKey: name), forKey: name)
      case let relationship as NSRelationshipDescription where relationship.isToMany:
        moveMembers(of: relationship, from: duplicate, to: survivor, replacing: rule == .allValues)
      case let relationship as NSRelationshipDescription:
        guard changed?.contains(name) ?? true else { continue }
        moveDestination(of: relationship, from: duplicate, to: survivor, rule)
      default: break
      }
    }
    context.delete(duplicate)
  }

  /// Whether the survivor takes the duplicate's value of an attribute.
  private func accepts(
    _ rule: ConstraintPlan.Rule, _ survivor: NSManagedObject, _ attribute: NSAttributeDescription
  ) -> Bool {
    rule != .unsetValues
      || valuesAreEqual(survivor.value(forKey: attribute.name), attribute.defaultValue)
  }

  private func moveDestination(
    of relationship: NSRelationshipDescription, from duplicate: NSManagedObject,
    to survivor: NSManagedObject,
    _ rule: ConstraintPlan.Rule
  ) {
    let name = relationship.name
    guard rule != .unsetValues || survivor.value(forKey: name) == nil else { return }
    let destination = duplicate.value(forKey: name) as? NSManagedObject
    guard destination !== survivor else { return }
    duplicate.setValue(nil, forKey: name)
    survivor.setValue(destination, forKey: name)
  }

  /// Moves the members, so that the duplicate's deletion affects none of them.
  private func moveMembers(
    of relationship: NSRelationshipDescription, from duplicate: NSManagedObject,
    to survivor: NSManagedObject,
    replacing: Bool
  ) {
    let name = relationship.name
    let moved = members(name, of: duplicate).filter { $0 !== survivor && $0 !== duplicate }
    let kept = replacing ? [] : members(name, of: survivor).filter { $0 !== duplicate }
    duplicate.setValue(collection([], of: relationship), forKey: name)
    survivor.setValue(collection(kept + moved, of: relationship), forKey: name)
  }

  private func members(_ name: String, of object: NSManagedObject) -> [NSManagedObject] {
    switch object.value(forKey: name) {
    case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    default: []
    }
  }

  private func collection(_ objects: [NSManagedObject], of relationship: NSRelationshipDescription)
    -> Any
  {
    relationship.isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects)
  }
}
