import Foundation
import ObjectRows

extension RowLayout {
  /// Where a to-one relationship leads, or nil for nowhere.
  func toOneValue(_ ordinal: Int, in row: RowReference) -> ToOneValue? {
    let slot = slots[ordinal]
    return isNull(slot, in: row) ? nil : load(slot, from: row, as: ToOneValue.self)
  }

  /// Makes the slots null that no store keeps.
  func clearTransient(in row: RowReference) {
    for slot in slots where !slot.isStored && slot.kind != .none { setNil(slot, in: row) }
  }

  /// Sets a slot to the value that it has in another row of the same layout.
  func copySlot(_ ordinal: Int, from source: RowReference, to row: RowReference) {
    let slot = slots[ordinal]
    func copy<Value>(_ type: Value.Type) {
      store(load(slot, from: source, as: type), isNull: isNull(slot, in: source), slot, in: row)
    }
    switch slot.kind {
    case .none: break
    case .bool: copy(Bool.self)
    case .int16: copy(Int16.self)
    case .int32: copy(Int32.self)
    case .int64: copy(Int64.self)
    case .float: copy(Float.self)
    case .double, .date: copy(Double.self)
    case .uuid: copy(UUID.self)
    case .decimal: copy(Decimal.self)
    case .toOne: copy(ToOneValue.self)
    case .string: copy(String?.self)
    case .data: copy(Data?.self)
    case .url: copy(URL?.self)
    case .boxed: copy(BoxedValue?.self)
    }
  }
}
