import ManagedObjectModel
import ObjectRows
public import Observation

/// Observation of properties, for objects of contexts that enable it.
///
/// This conformance is Parhelion's addition.
///
/// If a context's `tracksObservation` is true, `withObservationTracking` and `Observations` can
/// follow its objects by property. Each observed object then needs a registrar, and accessors do
/// not use their fast path.
extension NSManagedObject: Observable {
  /// Represents the property with an ordinal, so that there is a key path for each.
  subscript(property ordinal: Int) -> Int { ordinal }

  /// Notifies observers, if any, that a property is read.
  final func notifyAccess(_ ordinal: Int) {
    guard flags.contains(.observed) else { return }
    observedProperties.registrar.access(self, keyPath: \.[property: ordinal])
  }

  /// Notifies observers, if any, that a property is about to change.
  final func notifyWillSet(_ ordinal: Int) {
    guard flags.contains(.observed), let observation = state?.observation else { return }
    observation.registrar.willSet(self, keyPath: \.[property: ordinal])
    observation.notify(\.willChange, layout.properties[ordinal].name)
  }

  /// Notifies observers, if any, that a property has changed.
  final func notifyDidSet(_ ordinal: Int) {
    guard flags.contains(.observed), let observation = state?.observation else { return }
    observation.registrar.didSet(self, keyPath: \.[property: ordinal])
    observation.notify(\.didChange, layout.properties[ordinal].name)
  }

  /// Changes several properties at once, and notifies observers, if any, before and after.
  final func withObservedChange(_ ordinals: some Sequence<Int>, _ change: () -> Void) {
    guard flags.contains(.observed), state?.observation != nil else { return change() }
    let ordinals = Array(ordinals)
    for ordinal in ordinals { notifyWillSet(ordinal) }
    change()
    for ordinal in ordinals { notifyDidSet(ordinal) }
  }

  /// The properties that differ between two rows, if the object may be observed.
  final func observedDifferences(_ one: RowReference, _ other: RowReference) -> [Int] {
    guard flags.contains(.observed) else { return [] }
    return layout.slots.indices.filter { !layout.isEqual($0, in: one, and: other) }
  }

  final var observedProperties: ObservedProperties {
    let state = ownState()
    if let observation = state.observation { return observation }
    let observation = ObservedProperties()
    state.observation = observation
    return observation
  }
}

extension NSManagedObjectContext {
  func setObservation(_ isOn: Bool) {
    guard isOn != isObserved else { return }
    isObserved = isOn
    for object in registry.objects {
      if isOn {
        object.flags.insert(.observed)
      } else if object.state?.observation?.hasObservations != true {
        object.flags.remove(.observed)
      }
    }
  }
}
