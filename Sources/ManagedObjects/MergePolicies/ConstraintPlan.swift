import Foundation

/// The resolution of a uniqueness conflict, computed without changing any object.
///
/// One party survives: the store's row if there is one, or else the first object with a row, or
/// else the first object. Unless the save fails, each other new object is deleted, after it passed
/// values to the survivor as the table says.
///
/// | policy | new object | object with another row |
/// |---|---|---|
/// | error | the save fails | the save fails |
/// | store trump | passes values that the survivor lacks | gets its former unique values back |
/// | object trump | passes its set values | survives; the former survivor is deleted |
/// | overwrite | passes all of its values | survives; the former survivor is deleted |
/// | rollback | passes nothing | loses its changes |
package enum ConstraintPlan: Equatable {
  /// The save fails.
  case fail
  case steps([Step])

  /// A party of the conflict.
  package enum Party: Equatable {
    /// The object of the store's row.
    case database
    /// An object of the save, by its index in the conflict.
    case object(Int)
  }

  /// The values that an object passes on when it is merged into another.
  ///
  /// Members of to-many relationships are added to the other object's members. With `allValues`,
  /// they replace them.
  package enum Rule: Equatable {
    /// The values that were set.
    case changedValues
    /// All values.
    case allValues
    /// The values that were set, for properties in which the other object has the model's default
    /// value.
    case unsetValues
  }

  package enum Step: Equatable {
    /// The first party passes values to the second and is deleted.
    case merge(Party, into: Party, Rule)
    /// A new object is deleted.
    case discard(Int)
    /// An object reverts to its row in the store.
    case discardChanges(Int)
    /// An object gets back its former values of the constraint.
    case restoreConstraint(Int)
  }

  /// Chooses the plan from the table above.
  ///
  /// - Parameters:
  ///   - hasDatabaseObject: Whether the store has a row with these values.
  ///   - isInserted: For each object, whether it is new.
  package init(_ policy: NSMergePolicyType, hasDatabaseObject: Bool, isInserted: [Bool]) {
    guard policy != .errorMergePolicyType else {
      self = .fail
      return
    }
    var survivor: Party =
      hasDatabaseObject
      ? .database : .object(isInserted.firstIndex(of: false) ?? isInserted.startIndex)
    var steps: [Step] = []
    for index in isInserted.indices where survivor != .object(index) {
      if isInserted[index] {
        steps.append(Self.step(policy, forNewObject: index, survivor))
      } else {
        steps.append(Self.step(policy, forObject: index, &survivor))
      }
    }
    self = .steps(steps)
  }

  private static func step(_ policy: NSMergePolicyType, forNewObject index: Int, _ survivor: Party)
    -> Step
  {
    switch policy {
    case .mergeByPropertyStoreTrumpMergePolicyType:
      .merge(.object(index), into: survivor, .unsetValues)
    case .mergeByPropertyObjectTrumpMergePolicyType:
      .merge(.object(index), into: survivor, .changedValues)
    case .overwriteMergePolicyType: .merge(.object(index), into: survivor, .allValues)
    case .rollbackMergePolicyType, .errorMergePolicyType: .discard(index)
    }
  }

  private static func step(
    _ policy: NSMergePolicyType, forObject index: Int, _ survivor: inout Party
  ) -> Step {
    switch policy {
    case .mergeByPropertyStoreTrumpMergePolicyType: return .restoreConstraint(index)
    case .rollbackMergePolicyType, .errorMergePolicyType: return .discardChanges(index)
    case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
      defer { survivor = .object(index) }
      return .merge(survivor, into: .object(index), .unsetValues)
    }
  }
}
