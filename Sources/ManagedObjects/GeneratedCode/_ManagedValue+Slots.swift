public import Foundation
public import ObjectRows

// How values lie in slots: what the fast accessors load and store.

extension _ManagedValue {
  /// Nothing: values of the type are read by name.
  @inlinable public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Self? { nil }
  /// Nothing: values of the type are set by name.
  @inlinable public func _store(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Bool { false }
  /// Nothing: values of the type are read by name.
  @inlinable
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Self?? { nil }
}

extension Optional where Wrapped: _ManagedValue {
  /// The value in a slot, or nil where it is null; nothing where the slot is of another kind.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Wrapped?? {
    Wrapped._loadOptional(slot, row, layout)
  }
}

/// A type whose values lie in slots of one kind as they are.
///
/// For generated code.
public protocol _SlotValue: _ManagedValue {
  /// The kind of the slots.
  static var _kind: SlotKind { get }
  /// What a slot that is null reads as, or nothing where it is read by name.
  static var _null: Self? { get }
}

extension _SlotValue {
  /// The value in a slot.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Self? {
    guard slot.kind == _kind else { return nil }
    return layout.isNull(slot, in: row) ? _null : layout.load(slot, from: row, as: Self.self)
  }

  /// The value in a slot, or nil where it is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Self?? {
    guard slot.kind == _kind else { return nil }
    return .some(layout.isNull(slot, in: row) ? nil : layout.load(slot, from: row, as: Self.self))
  }

  /// Sets a slot of the right kind.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Bool {
    guard slot.kind == Self._kind else { return false }
    layout.store(self, slot, in: row)
    return true
  }
}

extension Int16: _SlotValue {
  /// Integer 16.
  @inlinable public static var _kind: SlotKind { .int16 }
  /// Zero.
  @inlinable public static var _null: Int16? { 0 }
}

extension Int32: _SlotValue {
  /// Integer 32.
  @inlinable public static var _kind: SlotKind { .int32 }
  /// Zero.
  @inlinable public static var _null: Int32? { 0 }
}

extension Int64: _SlotValue {
  /// Integer 64.
  @inlinable public static var _kind: SlotKind { .int64 }
  /// Zero.
  @inlinable public static var _null: Int64? { 0 }
}

extension Double: _SlotValue {
  /// Double.
  @inlinable public static var _kind: SlotKind { .double }
  /// Zero.
  @inlinable public static var _null: Double? { 0 }
}

extension Float: _SlotValue {
  /// Float.
  @inlinable public static var _kind: SlotKind { .float }
  /// Zero.
  @inlinable public static var _null: Float? { 0 }
}

extension Bool: _SlotValue {
  /// Boolean.
  @inlinable public static var _kind: SlotKind { .bool }
  /// False.
  @inlinable public static var _null: Bool? { false }
}

extension UUID: _SlotValue {
  /// UUID.
  @inlinable public static var _kind: SlotKind { .uuid }
  /// Nothing: reading by name says what is wrong.
  @inlinable public static var _null: UUID? { nil }
}

extension Int {
  /// An integer of 64 bits.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Int? {
    Int64._load(slot, row, layout).map { Int($0) }
  }
  /// An integer of 64 bits, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Int?? {
    Int64._loadOptional(slot, row, layout).map { $0.map { Int($0) } }
  }
  /// Sets a slot of 64 bits.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Bool {
    Int64(self)._store(slot, row, layout)
  }
}

extension Date {
  /// A date.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Date? {
    guard slot.kind == .date, !layout.isNull(slot, in: row) else { return nil }
    return Date(timeIntervalSinceReferenceDate: layout.load(slot, from: row, as: Double.self))
  }
  /// A date, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Date?? {
    guard slot.kind == .date else { return nil }
    if layout.isNull(slot, in: row) { return .some(nil) }
    return .some(Date(timeIntervalSinceReferenceDate: layout.load(slot, from: row, as: Double.self)))
  }
  /// Sets a slot of a date.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Bool {
    guard slot.kind == .date else { return false }
    layout.store(timeIntervalSinceReferenceDate, slot, in: row)
    return true
  }
}

extension String {
  /// A text; the empty one where the slot is null, as Foundation bridges it.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> String? {
    slot.kind == .string ? layout.load(slot, from: row, as: String?.self) ?? "" : nil
  }
  /// A text, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> String?? {
    slot.kind == .string ? .some(layout.load(slot, from: row, as: String?.self)) : nil
  }
  /// Sets a slot of a text.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Bool {
    guard slot.kind == .string else { return false }
    layout.store(String?.some(self), slot, in: row)
    return true
  }
}

extension Data {
  /// Bytes; none where the slot is null, as Foundation bridges it.
  @inlinable @inline(__always)
  public static func _load(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Data? {
    slot.kind == .data ? layout.load(slot, from: row, as: Data?.self) ?? Data() : nil
  }
  /// Bytes, or nil where the slot is null.
  @inlinable @inline(__always)
  public static func _loadOptional(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Data?? {
    slot.kind == .data ? .some(layout.load(slot, from: row, as: Data?.self)) : nil
  }
}

extension Optional where Wrapped: _ManagedValue {
  /// Sets a slot to a value; nil is set by name.
  @inlinable @inline(__always)
  public func _store(_ slot: RowSlot, _ row: RowReference, _ layout: RowLayout) -> Bool {
    guard let value = self else { return false }
    return value._store(slot, row, layout)
  }
}
