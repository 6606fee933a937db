/// Access to the slots of a row through its layout.
extension RowLayout {
  /// The slot with an ordinal, without bounds checks in release builds.
  @inlinable @inline(__always)
  package func slot(_ ordinal: Int) -> RowSlot {
    assert(ordinal >= 0 && ordinal < slotCount, "The entity has no property of this ordinal.")
    return slotTable[ordinal]
  }
}
