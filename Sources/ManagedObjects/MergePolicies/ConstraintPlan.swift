import Foundation

/// What becomes of objects that have the same values in a uniqueness constraint, decided without
/// touching anything.
///
/// One party survives: the store's row where there is one, else the first of the objects that has a
/// row, else the first object.
///
/// | policy | new object | object with another row |
/// |---|---|---|
/// | error | the save fails | the save fails |
/// | store trump | fills the survivor's unset values, goes | gets its former unique values back |
/// | object trump | gives the survivor the values it was given, goes | survives; the former survivor goes |
/// | overwrite | gives the survivor all of its values, goes | survives; the former survivor goes |
/// | rollback | goes | loses its changes |
package enum ConstraintPlan: Equatable {
  /// The save fails.
  case fail
  case steps([Step])

  /// One of those that are in conflict.
  package enum Party: Equatable {
    /// The object of the store's row.
    case database
    /// An object of the save, by its place in the conflict.
    case object(Int)
  }

  /// Which values an object that is merged into another gives it.
  ///
  /// Members of to-many relationships are added in any case, and replace the other's for
  /// `allValues`.
  package enum Rule: Equatable {
    /// Those that were set.
    case changedValues
    /// All.
    case allValues
    /// Those that were set where the other has the default value of the model.
    case unsetValues
  }

  package enum Step: Equatable {
    /// The first gives values to the second and is deleted.
    case merge(Party, into: Party, Rule)
    /// A new object is deleted.
    case discard(Int)
    /// An object takes over its row as the store has it.
    case discardChanges(Int)
    /// An object gets the values back that it had in the constraint.
    case restoreConstraint(Int)
  }

  /// Decides by the table above.
  ///
  /// - Parameters:
  ///   - hasDatabaseObject: Whether the store has a row with these values.
  ///   - isInserted: For each of the objects, whether it is new.
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
