/// Access to the slots of a row by way of its layout.
extension RowLayout {
  /// The slot of an ordinal, without the cost of an array's bounds check in release builds.
  @inlinable @inline(__always)
  package func slot(_ ordinal: Int) -> RowSlot {
    assert(ordinal >= 0 && ordinal < slotCount, "The entity has no property of this ordinal.")
    return slotTable[ordinal]
  }
}
