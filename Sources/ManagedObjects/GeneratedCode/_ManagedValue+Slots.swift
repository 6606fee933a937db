public import Foundation
public import ObjectRows

// Loading and storing values in slots, for the fast accessors.

extension _ManagedValue {
  /// Returns nothing: values of this type are read by name.
  @inlinable public static func _load(_ slot: RowSlot, _ row: RowReference) -> Self? { nil }
  /// Returns false: values of this type are set by name.
  @inlinable public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool { false }
  /// Returns nothing: values of this type are read by name.
  @inlinable
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Self?? { nil }
}

extension Optional where Wrapped: _ManagedValue {
  /// Returns the value in a slot: nil for null, or nothing if the slot is of another kind.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Wrapped?? {
    Wrapped._loadOptional(slot, row)
  }
}

/// A type whose values are stored unchanged in slots.
///
/// For generated code.
public protocol _SlotValue: _ManagedValue {
  /// The kind of the slots.
  static var _kind: SlotKind { get }
  /// Whether slots of a kind contain such values; by default, those of `_kind` do.
  static func _fits(_ kind: SlotKind) -> Bool
  /// Whether null reads as the value with zero bytes.
  ///
  /// If not, it is read by name.
  static var _readsNullAsZero: Bool { get }
}

extension _SlotValue {
  /// Whether the kind is `_kind`.
  @inlinable @inline(__always)
  public static func _fits(_ kind: SlotKind) -> Bool { kind == _kind }

  /// Returns the value in a slot.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Self? {
    guard _fits(slot.kind) else { return nil }
    if !_readsNullAsZero, slot.isNull(in: row) { return nil }
    return slot.load(from: row, as: Self.self)
  }

  /// Returns the value in a slot, or nil for null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Self?? {
    guard _fits(slot.kind) else { return nil }
    return .some(slot.isNull(in: row) ? nil : slot.load(from: row, as: Self.self))
  }

  /// Stores the value in a slot of the right kind.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard Self._fits(slot.kind) else { return false }
    slot.store(self, in: row)
    return true
  }
}

extension Int16: _SlotValue {
  /// Integer 16.
  @inlinable public static var _kind: SlotKind { .int16 }
  /// True: null reads as zero.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Int32: _SlotValue {
  /// Integer 32.
  @inlinable public static var _kind: SlotKind { .int32 }
  /// True: null reads as zero.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Int64: _SlotValue {
  /// Integer 64.
  @inlinable public static var _kind: SlotKind { .int64 }
  /// True: null reads as zero.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Double: _SlotValue {
  /// Double.
  @inlinable public static var _kind: SlotKind { .double }
  /// Whether the kind is Double, or Date: a slot contains a date as seconds.
  @inlinable @inline(__always)
  public static func _fits(_ kind: SlotKind) -> Bool { kind == .double || kind == .date }
  /// True: null reads as zero.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Float: _SlotValue {
  /// Float.
  @inlinable public static var _kind: SlotKind { .float }
  /// True: null reads as zero.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Bool: _SlotValue {
  /// Boolean.
  @inlinable public static var _kind: SlotKind { .bool }
  /// True: null reads as zero.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension UUID: _SlotValue {
  /// UUID.
  @inlinable public static var _kind: SlotKind { .uuid }
  /// False: reading by name reports the error.
  @inlinable public static var _readsNullAsZero: Bool { false }
}

extension Int {
  /// Returns a 64-bit integer.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Int? {
    Int64._load(slot, row).map { Int($0) }
  }
  /// Returns a 64-bit integer, or nil for null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Int?? {
    Int64._loadOptional(slot, row).map { $0.map { Int($0) } }
  }
  /// Stores the value in a 64-bit slot.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    Int64(self)._store(slot, row)
  }
}

extension Date {
  /// Returns a date.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Date? {
    guard slot.kind == .date, !slot.isNull(in: row) else { return nil }
    return Date(timeIntervalSinceReferenceDate: slot.load(from: row, as: Double.self))
  }
  /// Returns a date, or nil for null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Date?? {
    guard slot.kind == .date else { return nil }
    if slot.isNull(in: row) { return .some(nil) }
    return .some(Date(timeIntervalSinceReferenceDate: slot.load(from: row, as: Double.self)))
  }
  /// Stores the date in a slot.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard slot.kind == .date else { return false }
    slot.store(timeIntervalSinceReferenceDate, in: row)
    return true
  }
}

extension String {
  /// Returns a string.
  ///
  /// Null reads as the empty string, as Foundation bridges it.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> String? {
    slot.kind == .string ? slot.availableText(in: row).map { $0 ?? "" } : nil
  }
  /// Returns a string, or nil for null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> String?? {
    slot.kind == .string ? slot.availableText(in: row) : nil
  }
  /// Stores the string in a slot.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard slot.kind == .string else { return false }
    slot.store(String?.some(self), in: row)
    return true
  }
}

extension Data {
  /// Returns data.
  ///
  /// Null reads as empty data, as Foundation bridges it.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Data? {
    slot.kind == .data ? slot.load(from: row, as: Data?.self) ?? Data() : nil
  }
  /// Returns data, or nil for null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Data?? {
    slot.kind == .data ? .some(slot.load(from: row, as: Data?.self)) : nil
  }
}

extension Optional where Wrapped: _ManagedValue {
  /// Stores the value in a slot.
  ///
  /// Nil is set by name.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard let value = self else { return false }
    return value._store(slot, row)
  }
}
