public import Foundation

/// Decides what happens when a save meets rows that somebody else changed, or values that must be
/// unique and are not.
///
/// Give a context one of the five shared policies, or one of your own: a subclass that overrides
/// one of the `resolve` functions, changes the objects of the conflicts, and calls `super` with
/// what it leaves to the policy's type. A function that returns lets the save try again; one that
/// throws ends it.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// ```
open class NSMergePolicy: NSObject {
  /// What the policy does with the conflicts that are left to it.
  open var mergeType: NSMergePolicyType { type }

  private let type: NSMergePolicyType

  /// Creates a policy of a type.
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

  /// Resolves conflicts with rows that somebody else changed.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard mergeType != .errorMergePolicyType else { throw MergeError.versions(list) }
    for conflict in list {
      let object = conflict.sourceObject
      MergePerformer(for: object).perform(MergePlan(mergeType, conflict.situation), on: object)
    }
  }

  /// Resolves conflicts between objects that have the same values in a uniqueness constraint.
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
  /// Resolves what stands against a save, so that it can be tried again.
  ///
  /// Conflicts of versions go through `resolve(mergeConflicts:)` and conflicts of uniqueness
  /// through `resolve(constraintConflicts:)`, so that a subclass that overrides any of the three
  /// functions is asked.
  func resolve(_ versions: [NSMergeConflict], _ constraints: [NSConstraintConflict]) throws {
    if !versions.isEmpty { try resolve(mergeConflicts: versions) }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }
}
