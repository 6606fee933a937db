/// What is so about an object, in one word that the accessors test once.
@frozen
@usableFromInline
struct ObjectFlags: OptionSet {
  @usableFromInline let rawValue: UInt32

  @inlinable init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The values were not asked for since the object was created or turned into a fault.
  @usableFromInline static var fault: ObjectFlags { ObjectFlags(rawValue: 1 << 0) }
  /// The accessors report their names instead of reading values.
  @usableFromInline static var probe: ObjectFlags { ObjectFlags(rawValue: 1 << 1) }
  /// Somebody observes the object's properties.
  @usableFromInline static var observed: ObjectFlags { ObjectFlags(rawValue: 1 << 2) }
  /// The class was not generated from this version of the entity, so its ordinals mean nothing
  /// here.
  @usableFromInline static var otherOrdinals: ObjectFlags { ObjectFlags(rawValue: 1 << 3) }
  /// Every access is checked for the right queue.
  @usableFromInline static var checked: ObjectFlags { ObjectFlags(rawValue: 1 << 4) }
  /// The object was changed in the current event: its row is its own, and the context knows.
  @usableFromInline static var writable: ObjectFlags { ObjectFlags(rawValue: 1 << 5) }
  /// The object is inserted and not yet saved.
  @usableFromInline static var inserted: ObjectFlags { ObjectFlags(rawValue: 1 << 6) }
  /// The object is changed and not yet saved.
  @usableFromInline static var updated: ObjectFlags { ObjectFlags(rawValue: 1 << 7) }
  /// The object is deleted and the deletion not yet saved.
  @usableFromInline static var deleted: ObjectFlags { ObjectFlags(rawValue: 1 << 8) }
  /// The object is in its context's map and must leave it before it goes.
  @usableFromInline static var registered: ObjectFlags { ObjectFlags(rawValue: 1 << 9) }
  /// The owner of the row is an `ObjectState`.
  @usableFromInline static var stateful: ObjectFlags { ObjectFlags(rawValue: 1 << 10) }
  /// The object's row is gone from the store, and it stands for nothing.
  @usableFromInline static var inaccessible: ObjectFlags { ObjectFlags(rawValue: 1 << 11) }
  /// One of the object's own hooks runs that must not be counted as a change by the user.
  @usableFromInline static var silent: ObjectFlags { ObjectFlags(rawValue: 1 << 12) }

  /// Any of these sends an accessor on the way by name.
  @usableFromInline static var slow: ObjectFlags { ObjectFlags(rawValue: 0b1_1111) }
}
