import Foundation

/// Copying values between rows of a layout.
extension RowLayout {
  /// Copies a slot's value from another row.
  package func copyValue(_ ordinal: Int, from source: RowReference, to row: RowReference) {
    let slot = slots[ordinal]
    guard !slot.isNull(in: source) else { return setNil(slot, in: row) }
    func copy<Value>(_ type: Value.Type) { slot.store(slot.load(from: source, as: type), in: row) }
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
    case .string: slot.store(slot.text(in: source), in: row)
    case .data: copy(Data?.self)
    case .url: copy(URL?.self)
    case .boxed: copy(BoxedValue?.self)
    }
  }
}
