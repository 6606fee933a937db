import Foundation
import ManagedObjectModel
import ObjectRows

/// Property changes.
extension NSManagedObject {
  /// Prepares the object for a change and records it.
  final func beginChange(ofKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else { return }
    if flags.contains(.checked) { context?.requireAccess("\(entityName).\(key) was set") }
    if let relationship = layout.properties[ordinal] as? NSRelationshipDescription {
      recordDestinations(relationship, ordinal)
    }
    beginChange(of: ordinal)
  }

  /// Ends a change.
  ///
  /// If a relationship was set by its primitive value, this updates the inverse.
  final func endChange(ofKey key: String) {
    guard let ordinal = layout.ordinal(of: key) else { return }
    if let relationship = layout.properties[ordinal] as? NSRelationshipDescription {
      followRelationship(relationship, ordinal)
    }
    notifyDidSet(ordinal)
  }

  /// Gives the object a private copy of its row and records a change of the property.
  @discardableResult
  final func beginChange(of ordinal: Int) -> ObjectState {
    if !flags.contains(.writable) { becomeWritable() }
    notifyWillSet(ordinal)
    guard let state else { return makeRowWritable() }
    if flags.contains(.silent) { return state }
    let event = state.event
    state.changed.insert(ordinal)
    if let event, !event.changed.contains(ordinal) {
      if layout.slot(ordinal).kind == .none { recordMembers(ordinal, in: event) }
      event.changed.insert(ordinal)
    }
    return state
  }

  /// Records the members of a to-many relationship before its first change in the event.
  ///
  /// An ordered relationship is loaded for this, because an undo must restore its order too.
  private func recordMembers(_ ordinal: Int, in event: ObjectEvent) {
    let isOrdered = (layout.properties[ordinal] as? NSRelationshipDescription)?.isOrdered ?? false
    guard let members = isOrdered ? members(ordinal) : state?.members[ordinal], members.isLoaded
    else { return }
    event.members[ordinal] = members.objects
  }

  /// Gives the object a private copy of its row and notifies its context.
  final func becomeWritable() {
    prepareAccess()
    let isFirst = !(state?.ownsRow ?? false)
    let state = makeRowWritable()
    guard !flags.contains(.silent) else { return }
    let isUnread = self.isUnread
    if isUnread { context?.reads.mayHaveUnreadChanges = true }
    if !state.hasEvent && !flags.contains(.pendingInsert) {
      let isCommitted = isFirst && state.committed != nil
      state.beginEvent(copying: isCommitted || isUnread ? nil : row)
    }
    context?.recordChange(of: self)
    flags.insert(.writable)
  }

  /// Ends the event in which the object was changed.
  final func endEvent() {
    flags.remove(.writable)
    endStateEvent()
  }

  // MARK: Changed values

  /// The properties that were set since the object was last fetched or saved, and that have
  /// different values now.
  final var changedOrdinals: [Int] { netChanges(among: nil).ordinals }

  /// The candidates, or all properties for nil, that were set and have different values now.
  final func netChanges(among candidates: OrdinalSet?) -> OrdinalSet {
    guard let state else { return OrdinalSet() }
    return netChanges(state, among: candidates)
  }

  /// The candidates, or all properties for nil, that were set and have different values now.
  final func netChanges(_ state: ObjectState, among candidates: OrdinalSet?) -> OrdinalSet {
    var set = state.changed
    if let candidates { set.formIntersection(candidates) }
    var differing = OrdinalSet()
    set.forEach { if differsFromCommitted($0, state) { differing.insert($0) } }
    return differing
  }

  /// Whether a property's value differs from the committed one.
  final func differsFromCommitted(_ ordinal: Int, _ state: ObjectState) -> Bool {
    if let members = state.members[ordinal] {
      return members.isChanged
        && !members.isBackToCommitted(isOrdered: layout.memberKinds[ordinal] == .ordered)
    }
    guard let committed = state.committed else { return true }
    guard layout.slots[ordinal].isStored || state.ownsRow else { return false }
    return !layout.isEqual(ordinal, in: row, and: committed.row)
  }

  /// The persistent properties that differ from the committed row, if hooks may have set values
  /// without recording a change.
  ///
  /// They are saved with the next recorded change, because the object's row becomes the shared one.
  final var silentChanges: OrdinalSet {
    var set = OrdinalSet()
    guard flags.contains(.changedSilently), let committed = state?.committed else { return set }
    for (ordinal, slot) in layout.slots.enumerated() where slot.kind != .none && slot.isStored {
      guard !(layout.properties[ordinal] is NSDerivedAttributeDescription),
        !layout.isEqual(ordinal, in: row, and: committed.row)
      else { continue }
      set.insert(ordinal)
    }
    return set
  }

  /// Whether a persistent property differs from the store.
  final var differsFromStore: Bool {
    changedOrdinals.contains { !layout.properties[$0].isTransient }
  }

  /// Whether the object will be inserted by the next save.
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object has unsaved changes.
  public final var isUpdated: Bool { flags.contains(.updated) && !flags.contains(.deleted) }
  /// Whether the object will be deleted by the next save.
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
