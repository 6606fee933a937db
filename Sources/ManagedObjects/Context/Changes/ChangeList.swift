/// The objects that a context has something to save of, in the order of their first changes, and
/// what happened to them in the current event.
///
/// It keeps these objects alive. Objects that have nothing to save any more stay on the list until
/// it is tidied.
struct ChangeList {
  /// Objects with changes, and some whose changes are gone.
  private(set) var listed: ContiguousArray<NSManagedObject> = []
  /// Objects that were inserted, changed or deleted in the current event, in the order in which
  /// that began.
  private(set) var pending: ContiguousArray<NSManagedObject> = []
  /// Objects that took over values of the store in the current event.
  var refreshed: [NSManagedObject] = []
  /// Objects whose values were let go in the current event.
  var invalidated: [NSManagedObject] = []
  /// Objects that other contexts saved, and that came in or went in the current event.
  var merged = MergedObjects()
  /// The new and the deleted objects that observers were told of.
  var announced = NotifiedSets()
  /// How many objects there is something to save of.
  private(set) var count = 0
  /// Whether the list may have deleted objects whose relationships were not seen to.
  private var mayAwaitPropagation = false

  var isEmpty: Bool { count == 0 }

  /// Whether anything happened in the current event.
  var hasPending: Bool {
    !pending.isEmpty || !refreshed.isEmpty || !invalidated.isEmpty || !merged.isEmpty
  }

  /// Gives an object other flags, and lists it where there is something to save.
  mutating func setFlags(_ flags: ObjectFlags, of object: NSManagedObject) {
    let (before, after) = (object.flags.change, flags.change)
    if before == nil, after != nil { count += 1 }
    if before != nil, after == nil { count -= 1 }
    if flags.awaitsPropagation { mayAwaitPropagation = true }
    if before == .deletion
      ? after != .deletion : after == .deletion && !flags.contains(.pendingDelete)
    {
      announced.noteUnannouncedDeletion()
    }
    object.flags = flags
    if after != nil, !flags.contains(.listed) {
      object.flags.insert(.listed)
      listed.append(object)
    }
  }

  /// Notes that something happens to an object in the current event.
  mutating func notePending(_ object: NSManagedObject) {
    guard !object.flags.contains(.pending) else { return }
    object.flags.insert(.pending)
    pending.append(object)
  }

  /// The objects with changes of a kind.
  func objects(_ change: ObjectChange) -> [NSManagedObject] {
    listed.filter { $0.flags.change == change }
  }

  /// The objects with changes.
  var objects: ContiguousArray<NSManagedObject> {
    count == listed.count ? listed : listed.filter { $0.flags.change != nil }
  }

  /// Takes what happened in the current event: the next one begins.
  mutating func takePending() -> PendingEvent {
    let event = PendingEvent(
      objects: pending, refreshed: refreshed, invalidated: invalidated, merged: merged)
    pending.removeAll()
    refreshed.removeAll()
    invalidated.removeAll()
    merged = MergedObjects()
    return event
  }

  /// Lets go of objects that have nothing to save.
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
    // What is let go of may be the last of an object, and run code of applications.
    let former = listed
    listed = kept
    withExtendedLifetime(former) {}
  }

  /// The deleted objects whose relationships were not seen to: those of the current event, or of
  /// earlier ones too.
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

  /// Forgets everything; the flags of the objects are the caller's to set.
  mutating func removeAll() {
    self = ChangeList()
  }
}

/// What happened in one event.
struct PendingEvent {
  let objects: ContiguousArray<NSManagedObject>
  let refreshed: [NSManagedObject]
  let invalidated: [NSManagedObject]
  let merged: MergedObjects
}

/// What other contexts inserted and deleted, as it reached this one.
struct MergedObjects {
  var inserted: [NSManagedObject] = []
  var deleted: [NSManagedObject] = []

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty }
}
