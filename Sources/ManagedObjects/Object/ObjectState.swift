import ObjectRows
import Observation

/// An object's private state: a changed row, loaded relationships, decoded values, and what is
/// needed to determine the changes.
///
/// - Invariant: `ownsRow` is true exactly if the object's row is not the committed one.
final class ObjectState: RowOwner {
  /// The row as last fetched or saved, or nil for an object that was never saved.
  @safe @exclusivity(unchecked) var committed: CommittedRow?
  /// The private row, if there is one.
  @safe @exclusivity(unchecked) private(set) var ownRow: RowReference?
  /// The properties that were set since the object was last fetched or saved, even to equal values.
  @safe @exclusivity(unchecked) var changed = OrdinalSet()
  /// The loaded destinations of to-one relationships.
  @safe @exclusivity(unchecked) var destinations = OrdinalTable<NSManagedObject>()
  /// The loaded or changed to-many relationships.
  @safe @exclusivity(unchecked) var members = OrdinalTable<ToManyMembers>()
  /// The decoded values of transformable attributes, and the results of fetched properties.
  @safe @exclusivity(unchecked) var decoded: [Int: Any] = [:]
  /// The observers of the object, if there are any.
  @safe @exclusivity(unchecked) var observation: ObservedProperties?
  /// The destinations of relationships before their primitive values were set, from
  /// `willChangeValue(forKey:)` to `didChangeValue(forKey:)`.
  @safe @exclusivity(unchecked) var formerDestinations: [Int: [NSManagedObject]] = [:]
  /// The object's former values, if it was changed in the current event and they are not merely the
  /// committed ones.
  @safe @exclusivity(unchecked) private var storedEvent: ObjectEvent?
  /// Whether the object was changed in the current event, from its committed row and without
  /// relationships in memory, and only attributes were set since.
  ///
  /// Most changed objects need nothing more. See `event`.
  @safe @exclusivity(unchecked) private(set) var beganClean = false

  struct CommittedRow {
    let row: RowReference
    let page: RowPage
  }

  init(layout: RowLayout, committed: CommittedRow?) {
    self.committed = committed
    super.init(layout: layout)
  }

  deinit {
    if let ownRow { layout.deallocateRow(ownRow) }
  }

  var ownsRow: Bool { ownRow != nil }

  /// The object's former values, if it was changed in the current event.
  var event: ObjectEvent? {
    get {
      if beganClean {
        beganClean = false
        storedEvent = ObjectEvent(layout: layout, copying: nil, state: self)
        storedEvent?.beginClean(changed)
      }
      return storedEvent
    }
    set {
      beganClean = false
      storedEvent = newValue
    }
  }

  /// Whether the object was changed in the current event.
  var hasEvent: Bool { beganClean || storedEvent != nil }

  /// Records the object's first change in the current event.
  ///
  /// - Parameter row: A row to copy, or nil if the former values are those of the committed row.
  func beginEvent(copying row: RowReference?) {
    if row == nil, changed.isEmpty, members.isEmpty, destinations.isEmpty {
      beganClean = true
    } else {
      storedEvent = ObjectEvent(layout: layout, copying: row, state: self)
    }
  }

  /// Whether the state, apart from a private row, contains nothing that a page does not have.
  @inline(__always)
  var isBare: Bool {
    members.isEmpty && destinations.isEmpty && decoded.isEmpty && observation == nil
  }

  /// Records a change of a property.
  func recordSet(_ ordinal: Int) {
    changed.insert(ordinal)
    if let storedEvent { storedEvent.changed.insert(ordinal) }
  }

  /// Returns the private row, created as a copy of another row if there is none.
  func makeOwnRow(copying source: RowReference) -> RowReference {
    if let ownRow { return ownRow }
    let row = layout.allocateRow(copying: source)
    ownRow = row
    return row
  }

  /// Replaces the private row.
  func replaceOwnRow(with row: RowReference) {
    dropOwnRow()
    ownRow = row
  }

  /// Takes the private row.
  ///
  /// The caller owns its memory and references.
  func takeOwnRow() -> RowReference? {
    defer { ownRow = nil }
    return ownRow
  }

  /// Releases the private row.
  func dropOwnRow() {
    guard let row = ownRow else { return }
    ownRow = nil
    layout.deallocateRow(row)
  }
}

/// The observers of an object.
///
/// This is a separate object because a registrar's layout is known only at run time, which would
/// slow down every state that is not observed.
final class ObservedProperties {
  let registrar = ObservationRegistrar()
  private var observations: [WeakObservation] = []

  private struct WeakObservation {
    weak var observation: NSManagedObject.ChangeObservation?
  }

  /// Whether a `ChangeObservation` of the object is still retained.
  var hasObservations: Bool { observations.contains { $0.observation != nil } }

  func add(_ observation: NSManagedObject.ChangeObservation) {
    observations.removeAll { $0.observation == nil }
    observations.append(WeakObservation(observation: observation))
  }

  /// Calls the closures for a change that is about to happen or has happened.
  func notify(
    _ closure: (NSManagedObject.ChangeObservation) -> ((String) -> Void)?,
    _ property: @autoclosure () -> String
  ) {
    guard !observations.isEmpty else { return }
    for observation in observations.compactMap(\.observation) { closure(observation)?(property()) }
  }
}

/// An object's values before the first change of an event.
///
/// An event ends when the context processes pending changes.
final class ObjectEvent {
  let layout: RowLayout
  /// A copy of the row, or nil if it equals the committed row.
  private(set) var row: RowReference?
  /// The members of the loaded to-many relationships.
  var members: [Int: [NSManagedObject]] = [:]
  /// Members added to and removed from to-many relationships that were not loaded.
  private(set) var unloaded: [Int: (added: [NSManagedObject], removed: [NSManagedObject])] = [:]
  let destinations: OrdinalTable<NSManagedObject>
  /// The properties that were set before the event.
  private(set) var changedBefore: OrdinalSet
  /// The properties that were set in the event.
  var changed = OrdinalSet()

  init(layout: RowLayout, copying row: RowReference?, state: ObjectState) {
    self.layout = layout
    self.row = row.map(layout.allocateRow(copying:))
    destinations = state.destinations
    changedBefore = state.changed
    for (ordinal, known) in state.members {
      if known.isLoaded {
        members[ordinal] = known.objects
      } else {
        unloaded[ordinal] = (known.added, known.removed)
      }
    }
  }

  deinit {
    if let row { layout.deallocateRow(row) }
  }

  /// The members that a to-many relationship had before the event.
  ///
  /// - Parameter loaded: The relationship's present members, already loaded.
  func formerMembers(_ ordinal: Int, of loaded: ToManyMembers) -> [NSManagedObject] {
    if let known = members[ordinal] { return known }
    let stored = loaded.committed ?? loaded.objects
    guard let before = unloaded[ordinal] else { return stored }
    let (gone, present) = (
      Set(before.removed.map(ObjectIdentifier.init)), Set(stored.map(ObjectIdentifier.init))
    )
    return stored.filter { !gone.contains(ObjectIdentifier($0)) }
      + before.added.filter { !present.contains(ObjectIdentifier($0)) }
  }

  /// Sets the properties that the event changed, for an object without changes before the event.
  fileprivate func beginClean(_ changed: OrdinalSet) {
    changedBefore = OrdinalSet()
    self.changed = changed
  }
}
