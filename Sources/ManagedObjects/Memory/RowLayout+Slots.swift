import ObjectRows

extension RowLayout {
  /// The destination of a to-one relationship, or nil.
  func toOneValue(_ ordinal: Int, in row: RowReference) -> ToOneValue? {
    let slot = slots[ordinal]
    return slot.isNull(in: row) ? nil : slot.load(from: row, as: ToOneValue.self)
  }

  /// Sets slots that no store persists to null.
  func clearTransient(in row: RowReference) {
    for slot in slots where !slot.isStored && slot.kind != .none { setNil(slot, in: row) }
  }
}
