import ObjectRows

extension RowLayout {
  /// Where a to-one relationship leads, or nil for nowhere.
  func toOneValue(_ ordinal: Int, in row: RowReference) -> ToOneValue? {
    let slot = slots[ordinal]
    return slot.isNull(in: row) ? nil : slot.load(from: row, as: ToOneValue.self)
  }

  /// Makes the slots null that no store keeps.
  func clearTransient(in row: RowReference) {
    for slot in slots where !slot.isStored && slot.kind != .none { setNil(slot, in: row) }
  }
}
