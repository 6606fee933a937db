public import Foundation
public import ObjectRows

// How values lie in slots: what the fast accessors load and store.

extension _ManagedValue {
  /// Nothing: values of the type are read by name.
  @inlinable public static func _load(_ slot: RowSlot, _ row: RowReference) -> Self? { nil }
  /// Nothing: values of the type are set by name.
  @inlinable public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool { false }
  /// Nothing: values of the type are read by name.
  @inlinable
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Self?? { nil }
}

extension Optional where Wrapped: _ManagedValue {
  /// The value in a slot, or nil where it is null; nothing where the slot is of another kind.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Wrapped?? {
    Wrapped._loadOptional(slot, row)
  }
}

/// A type whose values lie in slots of one kind as they are.
///
/// For generated code.
public protocol _SlotValue: _ManagedValue {
  /// The kind of the slots.
  static var _kind: SlotKind { get }
  /// Whether a slot that is null reads as the value whose bytes are zero; else it is read by name.
  static var _readsNullAsZero: Bool { get }
}

extension _SlotValue {
  /// The value in a slot.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Self? {
    guard slot.kind == _kind else { return nil }
    if !_readsNullAsZero, slot.isNull(in: row) { return nil }
    return slot.load(from: row, as: Self.self)
  }

  /// The value in a slot, or nil where it is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Self?? {
    guard slot.kind == _kind else { return nil }
    return .some(slot.isNull(in: row) ? nil : slot.load(from: row, as: Self.self))
  }

  /// Sets a slot of the right kind.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard slot.kind == Self._kind else { return false }
    slot.store(self, in: row)
    return true
  }
}

extension Int16: _SlotValue {
  /// Integer 16.
  @inlinable public static var _kind: SlotKind { .int16 }
  /// It does.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Int32: _SlotValue {
  /// Integer 32.
  @inlinable public static var _kind: SlotKind { .int32 }
  /// It does.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Int64: _SlotValue {
  /// Integer 64.
  @inlinable public static var _kind: SlotKind { .int64 }
  /// It does.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Double: _SlotValue {
  /// Double.
  @inlinable public static var _kind: SlotKind { .double }
  /// It does.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Float: _SlotValue {
  /// Float.
  @inlinable public static var _kind: SlotKind { .float }
  /// It does.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension Bool: _SlotValue {
  /// Boolean.
  @inlinable public static var _kind: SlotKind { .bool }
  /// It does.
  @inlinable public static var _readsNullAsZero: Bool { true }
}

extension UUID: _SlotValue {
  /// UUID.
  @inlinable public static var _kind: SlotKind { .uuid }
  /// It does not: reading by name says what is wrong.
  @inlinable public static var _readsNullAsZero: Bool { false }
}

extension Int {
  /// An integer of 64 bits.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Int? {
    Int64._load(slot, row).map { Int($0) }
  }
  /// An integer of 64 bits, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Int?? {
    Int64._loadOptional(slot, row).map { $0.map { Int($0) } }
  }
  /// Sets a slot of 64 bits.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    Int64(self)._store(slot, row)
  }
}

extension Date {
  /// A date.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Date? {
    guard slot.kind == .date, !slot.isNull(in: row) else { return nil }
    return Date(timeIntervalSinceReferenceDate: slot.load(from: row, as: Double.self))
  }
  /// A date, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Date?? {
    guard slot.kind == .date else { return nil }
    if slot.isNull(in: row) { return .some(nil) }
    return .some(Date(timeIntervalSinceReferenceDate: slot.load(from: row, as: Double.self)))
  }
  /// Sets a slot of a date.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard slot.kind == .date else { return false }
    slot.store(timeIntervalSinceReferenceDate, in: row)
    return true
  }
}

extension String {
  /// A text; the empty one where the slot is null, as Foundation bridges it.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> String? {
    slot.kind == .string ? slot.readyText(in: row).map { $0 ?? "" } : nil
  }
  /// A text, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> String?? {
    slot.kind == .string ? slot.readyText(in: row) : nil
  }
  /// Sets a slot of a text.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard slot.kind == .string else { return false }
    slot.store(String?.some(self), in: row)
    return true
  }
}

extension Data {
  /// Bytes; none where the slot is null, as Foundation bridges it.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference) -> Data? {
    slot.kind == .data ? slot.load(from: row, as: Data?.self) ?? Data() : nil
  }
  /// Bytes, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference) -> Data?? {
    slot.kind == .data ? .some(slot.load(from: row, as: Data?.self)) : nil
  }
}

extension Optional where Wrapped: _ManagedValue {
  /// Sets a slot to a value; nil is set by name.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference) -> Bool {
    guard let value = self else { return false }
    return value._store(slot, row)
  }
}
