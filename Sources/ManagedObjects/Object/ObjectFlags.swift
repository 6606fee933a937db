/// The state of an object as flags in one word, which accessors test once.
@frozen
@usableFromInline
struct ObjectFlags: OptionSet {
  @usableFromInline let rawValue: UInt32

  @inlinable init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No value was requested after the object was created or became a fault.
  @usableFromInline static var fault: ObjectFlags { ObjectFlags(rawValue: 1 << 0) }
  /// The accessors report their names instead of reading values.
  @usableFromInline static var probe: ObjectFlags { ObjectFlags(rawValue: 1 << 1) }
  /// The object's properties are observed.
  @usableFromInline static var observed: ObjectFlags { ObjectFlags(rawValue: 1 << 2) }
  /// The class was not generated from this version of the entity, so its ordinals are invalid.
  @usableFromInline static var otherOrdinals: ObjectFlags { ObjectFlags(rawValue: 1 << 3) }
  /// Every access is checked for the right queue.
  @usableFromInline static var checked: ObjectFlags { ObjectFlags(rawValue: 1 << 4) }
  /// The object was changed in the current event: its row is private, and its context knows.
  @usableFromInline static var writable: ObjectFlags { ObjectFlags(rawValue: 1 << 5) }
  /// The next save will insert the object.
  @usableFromInline static var inserted: ObjectFlags { ObjectFlags(rawValue: 1 << 6) }
  /// The object has unsaved changes.
  @usableFromInline static var updated: ObjectFlags { ObjectFlags(rawValue: 1 << 7) }
  /// The next save will delete the object.
  @usableFromInline static var deleted: ObjectFlags { ObjectFlags(rawValue: 1 << 8) }
  /// The object is registered with its context and must be removed before it is deallocated.
  @usableFromInline static var registered: ObjectFlags { ObjectFlags(rawValue: 1 << 9) }
  /// The owner of the row is an `ObjectState`.
  @usableFromInline static var stateful: ObjectFlags { ObjectFlags(rawValue: 1 << 10) }
  /// The object's row no longer exists in the store.
  @usableFromInline static var inaccessible: ObjectFlags { ObjectFlags(rawValue: 1 << 11) }
  /// A hook of the object runs, and its changes are not recorded.
  @usableFromInline static var silent: ObjectFlags { ObjectFlags(rawValue: 1 << 12) }
  /// A relationship of another object has, or had, this one in memory.
  @usableFromInline static var related: ObjectFlags { ObjectFlags(rawValue: 1 << 13) }
  /// The class may have life-cycle methods or validation of its own.
  @usableFromInline static var hooked: ObjectFlags { ObjectFlags(rawValue: 1 << 14) }

  /// A hook may have set values without recording a change.
  @usableFromInline static var changedSilently: ObjectFlags { ObjectFlags(rawValue: 1 << 15) }

  /// The flags that keep an accessor from its fast path.
  @usableFromInline static var slow: ObjectFlags { ObjectFlags(rawValue: 0b1_1111) }
}
