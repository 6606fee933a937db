/// Where a property's value lies in a row.
@frozen
public struct RowSlot: Sendable {
  /// The distance from the start of the row, in bytes.
  @usableFromInline package let offset: Int32
  /// The number of its bit in the null bitmap.
  @usableFromInline package let nullBit: UInt16
  @usableFromInline package let kind: SlotKind
  /// Whether a store keeps the value: it does not where the property is transient.
  @usableFromInline package let isStored: Bool

  @inlinable package init(offset: Int32, nullBit: UInt16, kind: SlotKind, isStored: Bool) {
    self.offset = offset
    self.nullBit = nullBit
    self.kind = kind
    self.isStored = isStored
  }
}
