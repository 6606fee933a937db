public import Foundation

/// A policy that resolves conflicts of a save: rows that were changed elsewhere, and equal values
/// that must be unique.
///
/// Use one of the five shared policies or a subclass. A subclass overrides one of the `resolve`
/// methods, changes the conflicting objects, and calls `super` for conflicts that it does not
/// resolve. If the method returns, the save is retried. If it throws, the save fails.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// ```
open class NSMergePolicy: NSObject {
  /// The type of the policy, which decides conflicts that no subclass resolved.
  open var mergeType: NSMergePolicyType { type }

  private let type: NSMergePolicyType

  /// Creates a policy of the given type.
  public init(merge ty: NSMergePolicyType) {
    type = ty
    super.init()
  }

  /// Resolves conflicts of both kinds.
  open func resolve(mergeConflicts list: [Any]) throws {
    let versions = list.compactMap { $0 as? NSMergeConflict }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Resolves conflicts with rows that were changed elsewhere.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard mergeType != .errorMergePolicyType else { throw MergeError.versions(list) }
    for conflict in list {
      let object = conflict.sourceObject
      MergePerformer(for: object).perform(MergePlan(mergeType, conflict.situation), on: object)
    }
  }

  /// Resolves conflicts between objects with equal values for a uniqueness constraint.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    for conflict in list {
      let isInserted = conflict.conflictingObjects.map(\.isInserted)
      let hasDatabaseObject = conflict.databaseObject != nil
      let plan = ConstraintPlan(
        mergeType, hasDatabaseObject: hasDatabaseObject, isInserted: isInserted)
      guard case .steps(let steps) = plan else { throw MergeError.constraints(list) }
      guard let object = conflict.conflictingObjects.first else { continue }
      MergePerformer(for: object).perform(steps, of: conflict)
    }
  }
}

extension NSMergeConflict {
  fileprivate var situation: MergePlan.Situation {
    MergePlan.Situation(
      base: baseSnapshot, stored: storedSnapshot, current: sourceObject.currentSnapshot,
      changed: Set(sourceObject.changedValues().keys), isDeletion: sourceObject.isDeleted)
  }
}

// MARK: - For contexts

extension NSMergePolicy {
  /// Resolves the conflicts of a save, so that it can be retried.
  ///
  /// Version conflicts go through `resolve(mergeConflicts:)` and uniqueness conflicts through
  /// `resolve(constraintConflicts:)`, so that an override of any of the three methods is called.
  func resolve(_ versions: [NSMergeConflict], _ constraints: [NSConstraintConflict]) throws {
    if !versions.isEmpty { try resolve(mergeConflicts: versions) }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }
}
