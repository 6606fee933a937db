import Foundation
import ObjectRows
import PredicateLanguage

/// The order for sort descriptors of plain attributes, which compares slots directly.
struct RowOrder {
  private struct Key {
    let ordinal: Int
    let kind: SlotKind
    let isAscending: Bool
  }

  private let keys: [Key]

  /// Creates the order, or nil if a descriptor compares anything but numbers, dates or Booleans.
  init?(_ descriptors: [NSSortDescriptor], for layout: RowLayout) {
    var keys: [Key] = []
    for descriptor in descriptors {
      guard let descriptor = descriptor as? PropertySortDescriptor, case .natural = descriptor.rule,
        let path = descriptor.path, path.components.count == 1,
        let ordinal = layout.ordinal(of: path.text),
        Self.isOrdered(layout.slot(ordinal).kind)
      else { return nil }
      keys.append(
        Key(ordinal: ordinal, kind: layout.slot(ordinal).kind, isAscending: descriptor.ascending))
    }
    self.keys = keys
  }

  private static func isOrdered(_ kind: SlotKind) -> Bool {
    switch kind {
    case .bool, .int16, .int32, .int64, .float, .double, .date: true
    default: false
    }
  }

  /// The rows in stable order.
  func sorted(_ rows: [StoredRow]) -> [StoredRow] {
    rows.enumerated().sorted { one, other in
      for key in keys {
        let order = compare(key, one.element, other.element)
        if order != 0 { return (order < 0) == key.isAscending }
      }
      return one.offset < other.offset
    }.map(\.element)
  }

  /// Compares a value of two rows: negative if the first is less, 0 if they are equal, or positive.
  ///
  /// A missing value is less than every other. Subentities may have inherited attributes in other
  /// slots.
  private func compare(_ key: Key, _ one: StoredRow, _ other: StoredRow) -> Int {
    let (first, second) = (one.layout.slot(key.ordinal), other.layout.slot(key.ordinal))
    switch (first.isNull(in: one.row), second.isNull(in: other.row)) {
    case (true, true): return 0
    case (true, false): return -1
    case (false, true): return 1
    case (false, false): break
    }
    func order<Value: Comparable>(_ type: Value.Type) -> Int {
      let left = first.load(from: one.row, as: type)
      let right = second.load(from: other.row, as: type)
      return left < right ? -1 : (right < left ? 1 : 0)
    }
    switch key.kind {
    case .bool: return order(UInt8.self)
    case .int16: return order(Int16.self)
    case .int32: return order(Int32.self)
    case .int64: return order(Int64.self)
    case .float: return order(Float.self)
    default: return order(Double.self)
    }
  }
}
