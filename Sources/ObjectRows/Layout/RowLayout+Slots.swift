/// Access to the slots of a row by way of its layout.
extension RowLayout {
  @inlinable @inline(__always)
  package func isNull(_ slot: RowSlot, in row: RowReference) -> Bool { slot.isNull(in: row) }

  @inlinable @inline(__always)
  package func setNull(_ isNull: Bool, _ slot: RowSlot, in row: RowReference) { slot.setNull(isNull, in: row) }

  @inlinable @inline(__always)
  package func load<Value>(_ slot: RowSlot, from row: RowReference, as type: Value.Type) -> Value {
    slot.load(from: row, as: type)
  }

  @inlinable @inline(__always)
  package func store<Value>(_ value: Value, isNull: Bool = false, _ slot: RowSlot, in row: RowReference) {
    slot.store(value, isNull: isNull, in: row)
  }

  /// The slot of an ordinal, without the cost of an array's bounds check in release builds.
  @inlinable @inline(__always)
  package func slot(_ ordinal: Int) -> RowSlot {
    assert(ordinal >= 0 && ordinal < slotCount, "The entity has no property of this ordinal.")
    return slotTable[ordinal]
  }
}
