import ObjectRows
import Observation

/// What an object has of its own beside a row of a page: a row that was changed, the relationships
/// that were followed, values that were decoded, and what it needs to tell what changed.
///
/// - Invariant: `ownsRow` is true exactly where the object's row is not the committed one.
final class ObjectState: RowOwner {
  /// The row as it was last fetched or saved, or nil for an object that was never saved.
  @safe @exclusivity(unchecked) var committed: CommittedRow?
  /// The private row, if there is one.
  @safe @exclusivity(unchecked) private(set) var ownRow: RowReference?
  /// The properties that were set since the object was last fetched or saved, whether or not their
  /// values differ.
  @safe @exclusivity(unchecked) var changed = OrdinalSet()
  /// The objects that to-one relationships were found to lead to.
  @safe @exclusivity(unchecked) var destinations = OrdinalTable<NSManagedObject>()
  /// The to-many relationships that were followed or changed.
  @safe @exclusivity(unchecked) var members = OrdinalTable<ToManyMembers>()
  /// The values of transformable attributes that were decoded, and the results of fetched
  /// properties.
  @safe @exclusivity(unchecked) var decoded: [Int: Any] = [:]
  /// Who observes the object, if somebody does.
  @safe @exclusivity(unchecked) var observation: ObservedProperties?
  /// Where relationships led before their primitive values were set, between the notices of a
  /// change.
  @safe @exclusivity(unchecked) var formerDestinations: [Int: [NSManagedObject]] = [:]
  /// What the object was before the first change of the current event, if it was changed in it.
  @safe @exclusivity(unchecked) var event: ObjectEvent?

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

  /// Whether nothing is in it that a page does not have.
  @inline(__always)
  var isBare: Bool {
    members.isEmpty && destinations.isEmpty && decoded.isEmpty && observation == nil
  }

  /// Counts a change of a property.
  func noteSet(_ ordinal: Int) {
    changed.insert(ordinal)
    if let event { event.changed.insert(ordinal) }
  }

  /// A private row with the committed values, or without values where there are none.
  func makeOwnRow(copying source: RowReference) -> RowReference {
    if let ownRow { return ownRow }
    let row = layout.allocateRow(copying: source)
    ownRow = row
    return row
  }

  /// Makes another row the private one.
  func replaceOwnRow(with row: RowReference) {
    dropOwnRow()
    ownRow = row
  }

  /// Gives the private row away: its memory and what it refers to are the caller's.
  func takeOwnRow() -> RowReference? {
    defer { ownRow = nil }
    return ownRow
  }

  /// Lets go of the private row.
  func dropOwnRow() {
    guard let row = ownRow else { return }
    ownRow = nil
    layout.deallocateRow(row)
  }
}

/// Who observes an object.
///
/// It is an object of its own, since where a registrar lies in memory is only known at run time: it
/// would make everything about a state slower that nobody observes.
final class ObservedProperties {
  let registrar = ObservationRegistrar()
  private var observations: [WeakObservation] = []

  private struct WeakObservation {
    weak var observation: NSManagedObject.ChangeObservation?
  }

  /// Whether an observation of the object alone is still kept.
  var hasObservations: Bool { observations.contains { $0.observation != nil } }

  func add(_ observation: NSManagedObject.ChangeObservation) {
    observations.removeAll { $0.observation == nil }
    observations.append(WeakObservation(observation: observation))
  }

  /// Calls the closures that are told before or after a change.
  func notify(
    _ closure: (NSManagedObject.ChangeObservation) -> ((String) -> Void)?,
    _ property: @autoclosure () -> String
  ) {
    guard !observations.isEmpty else { return }
    for observation in observations.compactMap(\.observation) { closure(observation)?(property()) }
  }
}

/// What an object was before the first change of an event.
///
/// An event ends when the context processes pending changes.
final class ObjectEvent {
  let layout: RowLayout
  /// A copy of the row, or nil where the committed row says it.
  private(set) var row: RowReference?
  /// The members of the to-many relationships that were known.
  var members: [Int: [NSManagedObject]] = [:]
  /// What had come and gone in to-many relationships that were not known.
  private(set) var unloaded: [Int: (added: [NSManagedObject], removed: [NSManagedObject])] = [:]
  let destinations: OrdinalTable<NSManagedObject>
  /// What had been set before.
  let changedBefore: OrdinalSet
  /// What was set in the event.
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
}
