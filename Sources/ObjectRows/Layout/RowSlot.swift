/// Where a property's value lies in a row.
///
/// It says all that reading a value takes, so that an accessor needs the row and the slot and
/// nothing else.
@frozen
public struct RowSlot: Sendable {
  /// The distance from the start of the row, in bytes.
  @usableFromInline package let offset: Int32
  /// The distance of its null bit from the start of the row, in bits.
  @usableFromInline package let nullBit: Int32
  @usableFromInline package let kind: SlotKind
  /// Whether a store keeps the value: it does not where the property is transient.
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
/// The caller names the right type: the one that `SlotKind` says, an optional where that is an
/// optional.
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

  /// The value, whether it is null or not.
  @inlinable @inline(__always)
  package func load<Value>(from row: RowReference, as type: Value.Type) -> Value {
    unsafe (row.start + Int(offset)).assumingMemoryBound(to: Value.self).pointee
  }

  /// Lends the value, whether it is null or not, without taking a reference to it.
  @inlinable @inline(__always)
  package func withValue<Value, Result, Failure>(
    in row: RowReference, as type: Value.Type, _ body: (Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body((row.start + Int(offset)).assumingMemoryBound(to: Value.self).pointee)
  }

  /// Sets the value of a row that was just made, where there is none to let go of.
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
  /// Makes a value that is plain bytes null.
  package func clear(in row: RowReference) {
    unsafe (row.start + Int(offset)).initializeMemory(
      as: UInt8.self, repeating: 0, count: kind.bytes)
    setNull(true, in: row)
  }
}

/// The slots of a layout, without the cost of an array: it keeps nothing alive.
@frozen @safe
public struct SlotTable {
  @safe @usableFromInline package let first: UnsafePointer<RowSlot>

  init(copying slots: [RowSlot]) {
    let first = UnsafeMutablePointer<RowSlot>.allocate(capacity: max(1, slots.count))
    for (ordinal, slot) in slots.enumerated() { unsafe (first + ordinal).initialize(to: slot) }
    self.first = unsafe UnsafePointer(first)
  }

  func deallocate() { unsafe first.deallocate() }

  /// The slot of an ordinal, which the layout has.
  @inlinable @inline(__always)
  package subscript(ordinal: Int) -> RowSlot { first[ordinal] }
}
