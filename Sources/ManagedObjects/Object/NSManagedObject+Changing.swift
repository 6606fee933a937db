import Foundation
import ManagedObjectModel
import ObjectRows

/// What happens around a change of a property.
extension NSManagedObject {
  /// Makes the object ready for a change, and counts it.
  final func beginChange(ofKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else { return }
    if flags.contains(.checked) { context?.requireAccess("\(entityName).\(key) was set") }
    if let relationship = layout.properties[ordinal] as? NSRelationshipDescription {
      noteRelationship(relationship, ordinal)
    }
    beginChange(of: ordinal)
  }

  /// Ends a change: where a relationship was set by its primitive value, the inverse follows.
  final func endChange(ofKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else { return }
    if let relationship = layout.properties[ordinal] as? NSRelationshipDescription {
      followRelationship(relationship, ordinal)
    }
    noteObservedDidSet(ordinal)
  }

  /// Makes the object's row its own and counts a change of the property.
  @discardableResult
  final func beginChange(of ordinal: Int) -> ObjectState {
    if !flags.contains(.writable) { becomeWritable() }
    noteObservedWillSet(ordinal)
    guard let state else { return makeRowWritable() }
    if flags.contains(.silent) { return state }
    state.changed.insert(ordinal)
    if let event = state.event, !event.changed.contains(ordinal) {
      if layout.slot(ordinal).kind == .none { noteMembers(ordinal, in: event) }
      event.changed.insert(ordinal)
    }
    return state
  }

  /// Remembers the members of a relationship before the first change of the event.
  ///
  /// An ordered relationship is brought in for it, since its order must be put back too.
  private func noteMembers(_ ordinal: Int, in event: ObjectEvent) {
    let isOrdered = (layout.properties[ordinal] as? NSRelationshipDescription)?.isOrdered ?? false
    guard let members = isOrdered ? members(ordinal) : state?.members[ordinal], members.isLoaded
    else { return }
    event.members[ordinal] = members.objects
  }

  /// Makes the object's row its own, and its context take note.
  final func becomeWritable() {
    prepareAccess()
    let isFirst = !(state?.ownsRow ?? false)
    let state = makeRowWritable()
    guard !flags.contains(.silent) else { return }
    if state.event == nil && !flags.contains(.pendingInsert) {
      state.event = ObjectEvent(
        layout: layout, copying: isFirst && state.committed != nil ? nil : row, state: state)
    }
    context?.noteChange(of: self)
    flags.insert(.writable)
  }

  /// Ends the event in which the object was changed: the next change is the first of another one.
  final func endEvent() {
    flags.remove(.writable)
    endStateEvent()
  }

  // MARK: What changed

  /// The properties that were set since the object was last fetched or saved and whose values
  /// differ.
  final var changedOrdinals: [Int] { netChanges(among: nil).ordinals }

  /// The same, as a set, of some properties or of all.
  final func netChanges(among candidates: OrdinalSet?) -> OrdinalSet {
    guard let state else { return OrdinalSet() }
    var set = state.changed
    if let candidates { set.formIntersection(candidates) }
    var differing = OrdinalSet()
    set.forEach { if differsFromCommitted($0, state) { differing.insert($0) } }
    return differing
  }

  /// Whether a property has another value than the committed one.
  final func differsFromCommitted(_ ordinal: Int, _ state: ObjectState) -> Bool {
    if let members = state.members[ordinal] {
      return members.isChanged && !members.isBackToCommitted
    }
    guard let committed = state.committed else { return true }
    guard layout.slots[ordinal].isStored || state.ownsRow else { return false }
    return !layout.isEqual(ordinal, in: row, and: committed.row)
  }

  /// Whether something differs that a store keeps.
  final var differsFromStore: Bool {
    changedOrdinals.contains { !layout.properties[$0].isTransient }
  }

  /// Whether the object is inserted and not yet saved.
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object is changed and not yet saved.
  public final var isUpdated: Bool { flags.contains(.updated) && !flags.contains(.deleted) }
  /// Whether the object is deleted and the deletion not yet saved.
  public final var isDeleted: Bool { flags.contains(.deleted) }

  final var valuesChangedSinceSave: [String: Any] {
    var values: [String: Any] = [:]
    for ordinal in changedOrdinals where !layout.properties[ordinal].isTransient {
      values[layout.properties[ordinal].name] = currentValue(ordinal) ?? NSNull()
    }
    return values
  }

  final var valuesBeforeEvent: [String: Any] {
    guard let state, let event = state.event else { return [:] }
    var values: [String: Any] = [:]
    for ordinal in event.changed.ordinals where !layout.properties[ordinal].isTransient {
      values[layout.properties[ordinal].name] = eventValue(ordinal, event, state) ?? NSNull()
    }
    return values
  }

  final func savedValues(_ keys: [String]?) -> [String: Any] {
    prepareAccess()
    var values: [String: Any] = [:]
    let ordinals =
      keys.map { $0.compactMap(layout.ordinal(of:)) } ?? Array(layout.properties.indices)
    for ordinal in ordinals where !(layout.properties[ordinal] is NSFetchedPropertyDescription) {
      values[layout.properties[ordinal].name] = committedValue(ordinal) ?? NSNull()
    }
    return values
  }
}
