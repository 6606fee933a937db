/// The flags that a context keeps on its objects.
extension ObjectFlags {
  /// The object is on the context's list of unsaved objects.
  static var listed: ObjectFlags { ObjectFlags(rawValue: 1 << 16) }
  /// The object is on the context's list of changes in the current event.
  static var pending: ObjectFlags { ObjectFlags(rawValue: 1 << 17) }
  /// The object was inserted in the current event.
  static var pendingInsert: ObjectFlags { ObjectFlags(rawValue: 1 << 18) }
  /// The object was deleted in the current event.
  static var pendingDelete: ObjectFlags { ObjectFlags(rawValue: 1 << 19) }
  /// The object exists in no store and no parent.
  static var unsaved: ObjectFlags { ObjectFlags(rawValue: 1 << 20) }
  /// The object's delete rules were applied.
  static var propagated: ObjectFlags { ObjectFlags(rawValue: 1 << 21) }

  /// The object's row is written or deleted regardless of its version in the store.
  static var overwriting: ObjectFlags { ObjectFlags(rawValue: 1 << 22) }

  /// The current save writes the object's row: its changes did not cancel out.
  static var written: ObjectFlags { ObjectFlags(rawValue: 1 << 23) }

  mutating func set(_ flag: ObjectFlags, to isOn: Bool) {
    if isOn { formUnion(flag) } else { subtract(flag) }
  }

  /// The object's unsaved change.
  var change: ObjectChange? {
    if contains(.deleted) { return contains(.unsaved) ? nil : .deletion }
    if contains(.inserted) { return .insertion }
    return contains(.updated) ? .update : nil
  }

  /// The object's change in the current event, as its notification reports it.
  var eventChange: ObjectChange? {
    if contains(.pendingDelete) {
      return isSuperset(of: [.pendingInsert, .unsaved]) ? nil : .deletion
    }
    if contains(.pendingInsert) { return .insertion }
    return contains(.writable) ? .update : nil
  }

  /// Whether the notification of the current event includes the object.
  ///
  /// A change that a refresh has discarded does not count.
  var isNotified: Bool { contains(.pending) && eventChange != nil }

  /// Whether the object was deleted and its delete rules were not applied yet.
  var awaitsPropagation: Bool { contains(.deleted) && !contains(.propagated) }
}

/// The kind of an object's unsaved change.
enum ObjectChange {
  case insertion, update, deletion
}
