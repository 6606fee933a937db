/// Typed access to the slots of a row.
///
/// The caller names the right type: the one that `SlotKind` says, an optional where that is an optional.
extension RowLayout {
  @inlinable @inline(__always)
  package func isNull(_ slot: RowSlot, in row: RowReference) -> Bool {
    let byte = unsafe row.start.load(fromByteOffset: nullBitmapOffset + Int(slot.nullBit >> 3), as: UInt8.self)
    return byte & (1 << UInt8(truncatingIfNeeded: slot.nullBit & 7)) != 0
  }

  @inlinable @inline(__always)
  package func setNull(_ isNull: Bool, _ slot: RowSlot, in row: RowReference) {
    let place = unsafe row.start + (nullBitmapOffset + Int(slot.nullBit >> 3))
    let bit = UInt8(1) << UInt8(truncatingIfNeeded: slot.nullBit & 7)
    let byte = unsafe place.load(as: UInt8.self)
    unsafe place.storeBytes(of: isNull ? byte | bit : byte & ~bit, as: UInt8.self)
  }

  /// The value in a slot, whether it is null or not.
  @inlinable @inline(__always)
  package func load<Value>(_ slot: RowSlot, from row: RowReference, as type: Value.Type) -> Value {
    unsafe (row.start + Int(slot.offset)).assumingMemoryBound(to: Value.self).pointee
  }

  /// Lends the value in a slot, whether it is null or not, without taking a reference to it.
  @inlinable @inline(__always)
  package func withValue<Value, Result, Failure>(
    _ slot: RowSlot, in row: RowReference, as type: Value.Type, _ body: (Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body((row.start + Int(slot.offset)).assumingMemoryBound(to: Value.self).pointee)
  }

  /// Sets a slot and its null bit.
  @inlinable @inline(__always)
  package func store<Value>(_ value: Value, isNull: Bool = false, _ slot: RowSlot, in row: RowReference) {
    unsafe (row.start + Int(slot.offset)).assumingMemoryBound(to: Value.self).pointee = value
    setNull(isNull, slot, in: row)
  }

  /// The slot of an ordinal, without the cost of an array's bounds check in release builds.
  @inlinable @inline(__always)
  package func slot(_ ordinal: Int) -> RowSlot {
    assert(ordinal >= 0 && ordinal < slotCount, "The entity has no property of this ordinal.")
    return slotTable[ordinal]
  }
}
