/// The context's objects with unsaved changes, in the order of their first changes, and what
/// happened to them in the current event.
///
/// The list keeps these objects alive. Objects without changes stay on it until `tidy()`.
struct ChangeList {
  /// Objects with changes, and some that no longer have any.
  private(set) var listed: ContiguousArray<NSManagedObject> = []
  /// Objects that were inserted, changed or deleted in the current event, in chronological order.
  private(set) var pending: ContiguousArray<NSManagedObject> = []
  /// Objects that took newer values from the store in the current event.
  var refreshed: [NSManagedObject] = []
  /// Objects whose values were discarded in the current event.
  var invalidated: [NSManagedObject] = []
  /// Objects that other contexts saved, and that were merged in the current event.
  var merged = MergedObjects()
  /// The inserted and deleted objects that notifications have already named.
  var notified = NotifiedSets()
  /// The number of objects with unsaved changes.
  private(set) var count = 0
  /// Whether a listed object's class may have life-cycle methods.
  private(set) var mayHaveHooks = false
  /// Whether there may be deleted objects whose delete rules were not applied yet.
  private var mayAwaitPropagation = false

  var isEmpty: Bool { count == 0 }

  /// Whether anything happened in the current event.
  var hasPending: Bool {
    !pending.isEmpty || !refreshed.isEmpty || !invalidated.isEmpty || !merged.isEmpty
  }

  /// Sets an object's flags, and lists it if it has changes.
  mutating func setFlags(_ flags: ObjectFlags, of object: NSManagedObject) {
    let (before, after) = (object.flags.change, flags.change)
    if before == nil, after != nil { count += 1 }
    if before != nil, after == nil { count -= 1 }
    if flags.awaitsPropagation { mayAwaitPropagation = true }
    if before == .deletion
      ? after != .deletion : after == .deletion && !flags.contains(.pendingDelete)
    {
      notified.recordUnnotifiedDeletion()
    }
    object.flags = flags
    if after != nil, !flags.contains(.listed) {
      object.flags.insert(.listed)
      if flags.contains(.hooked) { mayHaveHooks = true }
      listed.append(object)
    }
  }

  /// Records that something happens to an object in the current event.
  mutating func recordPending(_ object: NSManagedObject) {
    guard !object.flags.contains(.pending) else { return }
    object.flags.insert(.pending)
    pending.append(object)
  }

  /// The objects with changes of the given kind.
  func objects(_ change: ObjectChange) -> [NSManagedObject] {
    listed.filter { $0.flags.change == change }
  }

  /// The objects with changes.
  var objects: ContiguousArray<NSManagedObject> {
    count == listed.count ? listed : listed.filter { $0.flags.change != nil }
  }

  /// Returns the current event's changes and starts the next event.
  mutating func takePending() -> PendingEvent {
    let event = PendingEvent(
      objects: pending, refreshed: refreshed, invalidated: invalidated, merged: merged)
    pending.removeAll()
    refreshed.removeAll()
    invalidated.removeAll()
    merged = MergedObjects()
    return event
  }

  /// Removes objects without changes, except deleted ones that still await their delete rules.
  mutating func tidy() {
    guard count != listed.count else { return }
    var kept: ContiguousArray<NSManagedObject> = []
    var awaitsPropagation = false
    listed.forEachHeld { object in
      if object.flags.awaitsPropagation { awaitsPropagation = true }
      if object.flags.change != nil || object.flags.awaitsPropagation {
        kept.append(object)
      } else {
        object.flags.remove(.listed)
      }
    }
    mayAwaitPropagation = awaitsPropagation
    // Releasing the last reference to an object may run application code.
    let former = listed
    listed = kept
    if kept.isEmpty { mayHaveHooks = false }
    withExtendedLifetime(former) {}
  }

  /// The deleted objects whose delete rules were not applied yet.
  ///
  /// - Parameter fromEarlierEvents: Whether to include objects that were deleted before the current
  ///   event.
  func awaitingPropagation(fromEarlierEvents: Bool) -> [NSManagedObject] {
    guard mayAwaitPropagation else { return [] }
    var found: [NSManagedObject] = []
    if fromEarlierEvents {
      listed.forEachHeld {
        if $0.flags.awaitsPropagation, !$0.flags.contains(.pending) { found.append($0) }
      }
    }
    pending.forEachHeld { if $0.flags.awaitsPropagation { found.append($0) } }
    return found
  }

  /// Removes everything.
  ///
  /// The caller resets the objects' flags.
  mutating func removeAll() {
    self = ChangeList()
  }
}

/// The changes of one event.
struct PendingEvent {
  let objects: ContiguousArray<NSManagedObject>
  let refreshed: [NSManagedObject]
  let invalidated: [NSManagedObject]
  let merged: MergedObjects
}

/// Objects that other contexts inserted and deleted, as merged into this one.
struct MergedObjects {
  var inserted: [NSManagedObject] = []
  var deleted: [NSManagedObject] = []
  /// Objects without loaded values whose rows were updated.
  ///
  /// Only observers of the context's events receive them.
  var updated: [NSManagedObject] = []

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && updated.isEmpty }
}
