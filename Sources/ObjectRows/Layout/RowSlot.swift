/// The position and kind of a property's value in a row.
///
/// It contains everything that an accessor needs in addition to the row.
@frozen
public struct RowSlot: Sendable {
  /// The byte offset from the start of the row.
  @usableFromInline package let offset: Int32
  /// The bit offset of its null bit from the start of the row.
  @usableFromInline package let nullBit: Int32
  @usableFromInline package let kind: SlotKind
  /// Whether a store persists the value.
  ///
  /// It is false for transient properties.
  @usableFromInline package let isStored: Bool

  @inlinable package init(offset: Int32, nullBit: Int32, kind: SlotKind, isStored: Bool) {
    self.offset = offset
    self.nullBit = nullBit
    self.kind = kind
    self.isStored = isStored
  }
}

/// Typed access to the value in a row.
///
/// The caller must use exactly the type that `SlotKind` specifies, such as `String?`.
extension RowSlot {
  @inlinable @inline(__always)
  package func isNull(in row: RowReference) -> Bool {
    let byte = unsafe row.start.load(fromByteOffset: Int(nullBit >> 3), as: UInt8.self)
    return byte & (1 << UInt8(truncatingIfNeeded: nullBit & 7)) != 0
  }

  @inlinable @inline(__always)
  package func setNull(_ isNull: Bool, in row: RowReference) {
    let place = unsafe row.start + Int(nullBit >> 3)
    let bit = UInt8(1) << UInt8(truncatingIfNeeded: nullBit & 7)
    let byte = unsafe place.load(as: UInt8.self)
    unsafe place.storeBytes(of: isNull ? byte | bit : byte & ~bit, as: UInt8.self)
  }

  /// The value, even if it is null.
  @inlinable @inline(__always)
  package func load<Value>(from row: RowReference, as type: Value.Type) -> Value {
    unsafe (row.start + Int(offset)).assumingMemoryBound(to: Value.self).pointee
  }

  /// Calls a closure with the value, even if it is null, without retaining it.
  @inlinable @inline(__always)
  package func withValue<Value, Result, Failure>(
    in row: RowReference, as type: Value.Type, _ body: (Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body((row.start + Int(offset)).assumingMemoryBound(to: Value.self).pointee)
  }

  /// Sets the value of a new row, without releasing an earlier one.
  @inlinable @inline(__always)
  package func initialize<Value>(_ value: Value, in row: RowReference) {
    unsafe (row.start + Int(offset)).initializeMemory(as: Value.self, to: value)
    setNull(false, in: row)
  }

  /// Sets the value and its null bit.
  @inlinable @inline(__always)
  package func store<Value>(_ value: Value, isNull: Bool = false, in row: RowReference) {
    unsafe (row.start + Int(offset)).assumingMemoryBound(to: Value.self).pointee = value
    setNull(isNull, in: row)
  }
}

extension RowSlot {
  /// Sets a trivial value to null.
  package func clear(in row: RowReference) {
    unsafe (row.start + Int(offset)).initializeMemory(
      as: UInt8.self, repeating: 0, count: kind.bytes)
    setNull(true, in: row)
  }
}

/// The slots of a layout, without the cost of an array.
///
/// It retains nothing.
@frozen @safe
public struct SlotTable {
  @safe @usableFromInline package let first: UnsafePointer<RowSlot>

  init(copying slots: [RowSlot]) {
    let first = UnsafeMutablePointer<RowSlot>.allocate(capacity: max(1, slots.count))
    for (ordinal, slot) in slots.enumerated() { unsafe (first + ordinal).initialize(to: slot) }
    self.first = unsafe UnsafePointer(first)
  }

  func deallocate() { unsafe first.deallocate() }

  /// The slot with an ordinal, which the layout must have.
  @inlinable @inline(__always)
  package subscript(ordinal: Int) -> RowSlot { first[ordinal] }
}
