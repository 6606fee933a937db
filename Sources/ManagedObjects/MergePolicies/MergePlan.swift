import Foundation
import ManagedObjectModel

/// What becomes of an object whose row somebody else changed, decided without touching anything.
///
/// | policy | both changed a property | only the store did | only the object did | row deleted | object deleted |
/// |---|---|---|---|---|---|
/// | error | the save fails | the save fails | the save fails | the save fails | the save fails |
/// | store trump | store | store | object | object goes | object stays |
/// | object trump | object | store | object | row comes back | row goes |
/// | overwrite | object | object | object | row comes back | row goes |
/// | rollback | store | store | store | object goes | object stays |
///
/// Where row and object are both deleted there is nothing left to decide.
package enum MergePlan {
  /// The save fails.
  case fail
  /// The object takes over the store's row and loses its changes, a deletion among them.
  case discardChanges
  /// The object's changes, or its deletion, are put on the store's row; then these properties get
  /// other values.
  case keepChanges(replacing: [(name: String, value: Any)])
  /// The row is written anew with all of the object's values.
  case recreateRow
  /// The object is deleted too.
  case acceptDeletion

  /// What is known of an object and its row.
  ///
  /// Snapshots hold stored attributes and to-one relationships by name, `NSNull` for no value.
  package struct Situation {
    /// What the object's changes are based on; nil where that is not known.
    package var base: [String: Any]?
    /// What the store holds; nil where the row was deleted.
    package var stored: [String: Any]?
    /// The object's values now.
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

  /// Decides by the table above.
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

  /// The object's values where the store has others and the object did not change them.
  private static func unchangedValues(_ situation: Situation) -> [(name: String, value: Any)] {
    situation.current.keys.sorted().compactMap { name in
      guard !situation.changed.contains(name), let value = situation.current[name],
        !valuesAreEqual(value, situation.stored?[name])
      else { return nil }
      return (name, value)
    }
  }
}
