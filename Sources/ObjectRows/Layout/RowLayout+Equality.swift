import Foundation

/// Comparing slots of two rows of one layout.
extension RowLayout {
  /// Whether two rows have the same value in a slot.
  ///
  /// Boxes are equal if they contain equal bytes, the same file, or equal objects.
  package func isEqual(_ ordinal: Int, in one: RowReference, and other: RowReference) -> Bool {
    let slot = slots[ordinal]
    let isNull = (slot.isNull(in: one), slot.isNull(in: other))
    if isNull.0 || isNull.1 { return isNull.0 == isNull.1 }
    func same<Value: Equatable>(_ type: Value.Type) -> Bool {
      slot.load(from: one, as: type) == slot.load(from: other, as: type)
    }
    switch slot.kind {
    case .none: return true
    case .bool: return same(Bool.self)
    case .int16: return same(Int16.self)
    case .int32: return same(Int32.self)
    case .int64: return same(Int64.self)
    case .float: return same(UInt32.self)
    case .double, .date: return same(UInt64.self)
    case .uuid: return same(UUID.self)
    case .decimal: return same(Decimal.self)
    case .toOne: return same(ToOneValue.self)
    case .string: return textsAreEqual(slot.text(in: one), slot.text(in: other))
    case .data: return same(Data?.self)
    case .url: return same(URL?.self)
    case .boxed:
      return boxesAreEqual(
        slot.load(from: one, as: BoxedValue?.self), slot.load(from: other, as: BoxedValue?.self))
    }
  }
}

/// Whether two texts have the same bytes.
///
/// The operator `==` ignores differences of Unicode composition, which a save must keep.
private func textsAreEqual(_ one: String?, _ other: String?) -> Bool {
  (one ?? "").utf8.elementsEqual((other ?? "").utf8)
}

private func boxesAreEqual(_ one: BoxedValue?, _ other: BoxedValue?) -> Bool {
  if one === other { return true }
  switch (one, other) {
  case (let one as EncodedValue, let other as EncodedValue): return one.data == other.data
  case (let one as BinaryValue, let other as BinaryValue): return one.data == other.data
  case (let one as ExternalValue, let other as ExternalValue):
    return one.name == other.name && one.folder == other.folder
  case (let one as DecodedValue, let other as DecodedValue):
    guard let one = one.value as? NSObject, let other = other.value as? NSObject else {
      return false
    }
    return one.isEqual(other)
  default: return false
  }
}
