/// What a context notes in the flags of its objects.
extension ObjectFlags {
  /// The object is on the context's list of what there is to save.
  static var listed: ObjectFlags { ObjectFlags(rawValue: 1 << 16) }
  /// The object is on the context's list of what happened in the current event.
  static var pending: ObjectFlags { ObjectFlags(rawValue: 1 << 17) }
  /// The object was inserted in the current event.
  static var pendingInsert: ObjectFlags { ObjectFlags(rawValue: 1 << 18) }
  /// The object was deleted in the current event.
  static var pendingDelete: ObjectFlags { ObjectFlags(rawValue: 1 << 19) }
  /// Neither a store nor a parent knows of the object.
  static var unsaved: ObjectFlags { ObjectFlags(rawValue: 1 << 20) }
  /// The consequences of the object's deletion were seen to.
  static var propagated: ObjectFlags { ObjectFlags(rawValue: 1 << 21) }

  /// The object's row is written or deleted whatever version the store has, or whether it has one.
  static var overwriting: ObjectFlags { ObjectFlags(rawValue: 1 << 22) }

  /// The save under way writes the object's row: its changes did not cancel each other out.
  static var written: ObjectFlags { ObjectFlags(rawValue: 1 << 23) }

  mutating func set(_ flag: ObjectFlags, to isOn: Bool) {
    if isOn { formUnion(flag) } else { subtract(flag) }
  }

  /// What there is to save of the object.
  var change: ObjectChange? {
    if contains(.deleted) { return contains(.unsaved) ? nil : .deletion }
    if contains(.inserted) { return .insertion }
    return contains(.updated) ? .update : nil
  }

  /// What observers are told of the object at the end of the event.
  var happening: ObjectChange? {
    if contains(.pendingDelete) {
      return isSuperset(of: [.pendingInsert, .unsaved]) ? nil : .deletion
    }
    if contains(.pendingInsert) { return .insertion }
    return contains(.writable) ? .update : nil
  }

  /// Whether observers are told of a change of the object at the end of the event.
  ///
  /// A change that a refresh has dropped is none.
  var isTold: Bool { contains(.pending) && happening != nil }

  /// Whether the object was deleted and its relationships were not seen to.
  var awaitsPropagation: Bool { contains(.deleted) && !contains(.propagated) }
}

/// What there is to save of one object.
enum ObjectChange {
  case insertion, update, deletion
}
