import ManagedObjectModel
import ObjectRows

/// The changes of one event, as far as an undo needs them.
final class UndoRecord {
  let entries: [Entry]

  /// The change of one object.
  struct Entry {
    let object: NSManagedObject
    let wasInserted: Bool
    let wasDeleted: Bool
    fileprivate let values: FormerValues?
  }

  init(_ event: PendingEvent) {
    entries = event.objects.compactMap { object in
      let flags = object.flags
      let isNew = flags.isSuperset(of: [.pendingInsert, .unsaved])
      let values = isNew ? nil : FormerValues(of: object)
      guard values != nil || !flags.isDisjoint(with: [.pendingInsert, .pendingDelete]) else {
        return nil
      }
      return Entry(
        object: object,
        wasInserted: flags.contains(.pendingInsert) && !flags.contains(.pendingDelete),
        wasDeleted: flags.contains(.pendingDelete) && !flags.contains(.pendingInsert),
        values: values)
    }
  }
}

extension UndoRecord.Entry {
  /// Loads the members that will be replaced.
  ///
  /// If they were loaded after a deletion, they would lack the deleted objects, which a later undo
  /// restores.
  func loadMembers(in context: NSManagedObjectContext) {
    guard let values, object.context === context, !object.flags.contains(.inaccessible) else {
      return
    }
    for (ordinal, _) in values.event.members { _ = object.members(ordinal) }
  }

  /// Restores the former values, as changes.
  func restoreValues(in context: NSManagedObjectContext) {
    guard let values, object.context === context, !object.flags.contains(.inaccessible) else {
      return
    }
    for ordinal in values.event.changed.ordinals {
      values.restore(ordinal, of: object, in: context)
      object.notifyDidSet(ordinal)
    }
    object.awakeSilently(from: .undoUpdate)
    context.recordEndOfChanges(of: object, changedBefore: values.event.changedBefore)
  }
}

/// An object's values before an event.
private struct FormerValues {
  let event: ObjectEvent
  /// The row before the event.
  let row: RowReference?
  /// The page that holds the row; nil if the event owns the row.
  let page: RowPage?
  /// The members that the event added and removed, by the ordinal of a to-many relationship that
  /// was not loaded before the event.
  let differences: [Int: Difference]

  struct Difference {
    var added: [NSManagedObject]
    var removed: [NSManagedObject]
  }

  init?(of object: NSManagedObject) {
    guard let state = object.state, let event = state.event else { return nil }
    self.event = event
    row = event.row ?? state.committed?.row
    page = event.row == nil ? state.committed?.page : nil
    var differences: [Int: Difference] = [:]
    for (ordinal, members) in state.members where event.members[ordinal] == nil {
      let difference = members.difference
      let before = event.unloaded[ordinal]
      differences[ordinal] = Difference(
        added: Self.new(difference.added, before?.added)
          + Self.new(before?.removed ?? [], difference.removed),
        removed: Self.new(difference.removed, before?.removed)
          + Self.new(before?.added ?? [], difference.added))
    }
    self.differences = differences
  }

  private static func new(_ objects: [NSManagedObject], _ known: [NSManagedObject]?)
    -> [NSManagedObject]
  {
    guard let known, !known.isEmpty else { return objects }
    let identifiers = Set(known.map(ObjectIdentifier.init))
    return objects.filter { !identifiers.contains(ObjectIdentifier($0)) }
  }

  func restore(_ ordinal: Int, of object: NSManagedObject, in context: NSManagedObjectContext) {
    let state = object.beginChange(of: ordinal)
    switch object.layout.properties[ordinal] {
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      restoreMembers(ordinal, of: object)
    case is NSRelationshipDescription:
      object.setDestination(destination(ordinal, of: object, in: context), ordinal, state)
    case is NSAttributeDescription:
      guard let row else { return }
      state.decoded[ordinal] = nil
      object.layout.copyValue(ordinal, from: row, to: object.row)
    default: break
    }
  }

  private func destination(
    _ ordinal: Int, of object: NSManagedObject, in context: NSManagedObjectContext
  ) -> NSManagedObject? {
    if let known = event.destinations[ordinal] { return known }
    let slot = object.layout.slots[ordinal]
    guard let row, !slot.isNull(in: row) else { return nil }
    return context.destination(slot.load(from: row, as: ToOneValue.self), of: object)
  }

  private func restoreMembers(_ ordinal: Int, of object: NSManagedObject) {
    if let former = event.members[ordinal] { return object.members(ordinal).restore(former) }
    guard let difference = differences[ordinal] else { return }
    let members = object.knownMembers(ordinal)
    for added in difference.added { _ = members.remove(added) }
    for removed in difference.removed { _ = members.add(removed) }
  }
}

extension NSManagedObjectContext {
  /// Removes an object from the change list if its undone changes were its only ones.
  fileprivate func recordEndOfChanges(of object: NSManagedObject, changedBefore: OrdinalSet) {
    guard changedBefore.isEmpty, object.flags.change == .update, object.changedOrdinals.isEmpty
    else { return }
    changes.setFlags(object.flags.subtracting(.updated), of: object)
  }
}
