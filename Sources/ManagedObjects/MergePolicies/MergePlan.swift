import Foundation
import ManagedObjectModel

/// The resolution of a conflict with a row that was changed elsewhere, computed without changing
/// any object.
///
/// | policy | both changed a property | only store | only object | row deleted | object deleted |
/// |---|---|---|---|---|---|
/// | error | the save fails | the save fails | the save fails | the save fails | the save fails |
/// | store trump | store | store | object | object deleted | object kept |
/// | object trump | object | store | object | row recreated | row deleted |
/// | overwrite | object | object | object | row recreated | row deleted |
/// | rollback | store | store | store | object deleted | object kept |
///
/// If row and object are both deleted, every policy except error accepts the deletion.
package enum MergePlan {
  /// The save fails.
  case fail
  /// The object takes the store's row and loses its changes or its deletion.
  case discardChanges
  /// The object's changes, or its deletion, are applied to the store's row.
  ///
  /// Then the properties in `replacing` are set to the given values.
  case keepChanges(replacing: [(name: String, value: Any)])
  /// The row is written again with all of the object's values.
  case recreateRow
  /// The object is deleted too.
  case acceptDeletion

  /// The state of an object and its row.
  ///
  /// Snapshots hold stored attributes and to-one relationships by name, with `NSNull` for missing
  /// values.
  package struct Situation {
    /// The values on which the object's changes are based; nil if unknown.
    package var base: [String: Any]?
    /// The stored values; nil if the row was deleted.
    package var stored: [String: Any]?
    /// The object's current values.
    package var current: [String: Any]
    /// The names of the properties that the object changed.
    package var changed: Set<String>
    /// Whether the object is to be deleted.
    package var isDeletion: Bool

    package init(
      base: [String: Any]?, stored: [String: Any]?, current: [String: Any] = [:],
      changed: Set<String> = [],
      isDeletion: Bool = false
    ) {
      self.base = base
      self.stored = stored
      self.current = current
      self.changed = changed
      self.isDeletion = isDeletion
    }
  }

  /// Chooses the plan from the table above.
  package init(_ policy: NSMergePolicyType, _ situation: Situation) {
    self =
      switch policy {
      case .errorMergePolicyType: .fail
      case .mergeByPropertyStoreTrumpMergePolicyType: Self.trustingStore(situation)
      case .mergeByPropertyObjectTrumpMergePolicyType: Self.trustingObject(situation) { _ in [] }
      case .overwriteMergePolicyType:
        Self.trustingObject(situation, replacing: Self.unchangedValues)
      case .rollbackMergePolicyType: situation.stored == nil ? .acceptDeletion : .discardChanges
      }
  }

  private static func trustingStore(_ situation: Situation) -> MergePlan {
    guard let stored = situation.stored else { return .acceptDeletion }
    if situation.isDeletion { return .discardChanges }
    let replaced = situation.changed.sorted().compactMap { name -> (name: String, value: Any)? in
      guard let value = stored[name] else { return nil }
      let isStoreUnchanged = situation.base.map { valuesAreEqual($0[name], value) } ?? false
      return isStoreUnchanged ? nil : (name, value)
    }
    return .keepChanges(replacing: replaced)
  }

  private static func trustingObject(
    _ situation: Situation, replacing: (Situation) -> [(name: String, value: Any)]
  ) -> MergePlan {
    if situation.isDeletion {
      return situation.stored == nil ? .acceptDeletion : .keepChanges(replacing: [])
    }
    return situation.stored == nil ? .recreateRow : .keepChanges(replacing: replacing(situation))
  }

  /// The object's values of properties that it did not change and that differ in the store.
  private static func unchangedValues(_ situation: Situation) -> [(name: String, value: Any)] {
    situation.current.keys.sorted().compactMap { name in
      guard !situation.changed.contains(name), let value = situation.current[name],
        !valuesAreEqual(value, situation.stored?[name])
      else { return nil }
      return (name, value)
    }
  }
}
