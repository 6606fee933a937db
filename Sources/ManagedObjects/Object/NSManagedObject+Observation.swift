import ManagedObjectModel
import ObjectRows
public import Observation

/// Observation of properties, for objects of contexts that ask for it.
///
/// Parhelion's addition. Set `tracksObservation` of a context, and its objects can be followed by
/// `withObservationTracking` and by `Observations`, property by property. It costs a registrar for
/// each object that is read under observation, and the fast way of the accessors; hence it is a
/// choice.
extension NSManagedObject: Observable {
  /// Stands for the property of an ordinal, so that there is a key path for each.
  subscript(property ordinal: Int) -> Int { ordinal }

  /// Tells the observers, if there are any, that a property is read.
  final func noteObservedAccess(_ ordinal: Int) {
    guard flags.contains(.observed) else { return }
    observedProperties.registrar.access(self, keyPath: \.[property: ordinal])
  }

  /// Tells the observers, if there are any, that a property is about to change.
  final func noteObservedWillSet(_ ordinal: Int) {
    guard flags.contains(.observed), let observation = state?.observation else { return }
    observation.registrar.willSet(self, keyPath: \.[property: ordinal])
    observation.notify(\.willChange, layout.properties[ordinal].name)
  }

  /// Tells the observers, if there are any, that a property has changed.
  final func noteObservedDidSet(_ ordinal: Int) {
    guard flags.contains(.observed), let observation = state?.observation else { return }
    observation.registrar.didSet(self, keyPath: \.[property: ordinal])
    observation.notify(\.didChange, layout.properties[ordinal].name)
  }

  /// Tells the observers of properties that take other values at once, around the change.
  final func withObservedChange(_ ordinals: some Sequence<Int>, _ change: () -> Void) {
    guard flags.contains(.observed), state?.observation != nil else { return change() }
    let ordinals = Array(ordinals)
    for ordinal in ordinals { noteObservedWillSet(ordinal) }
    change()
    for ordinal in ordinals { noteObservedDidSet(ordinal) }
  }

  /// The properties in which two rows differ, where somebody may observe the object.
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
