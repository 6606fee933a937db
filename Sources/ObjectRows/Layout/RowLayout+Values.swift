import Foundation
import ManagedObjectModel

/// Whether a value is `NSNull`.
///
/// `is NSNull` would box each Swift value in an object, with a copy of its data.
package func isNull(_ value: Any) -> Bool { type(of: value) == NSNull.self }

/// Values of any type, in the form of key-value coding.
extension RowLayout {
  /// The value of an attribute, or nil: numbers as `NSNumber`, decimals as `NSDecimalNumber`.
  ///
  /// A boxed value is returned as its box, which the caller opens. To-one relationships are not
  /// values. Use `ToOneValue`.
  package func value(ofAttribute ordinal: Int, in row: RowReference) -> Any? {
    let slot = slots[ordinal]
    guard !slot.isNull(in: row) else { return nil }
    switch slot.kind {
    case .none, .toOne: return nil
    case .bool: return NSNumber(value: slot.load(from: row, as: Bool.self))
    case .int16: return NSNumber(value: slot.load(from: row, as: Int16.self))
    case .int32: return NSNumber(value: slot.load(from: row, as: Int32.self))
    case .int64: return NSNumber(value: slot.load(from: row, as: Int64.self))
    case .float: return NSNumber(value: slot.load(from: row, as: Float.self))
    case .double: return NSNumber(value: slot.load(from: row, as: Double.self))
    case .date: return Date(timeIntervalSinceReferenceDate: slot.load(from: row, as: Double.self))
    case .uuid: return slot.load(from: row, as: UUID.self)
    case .decimal: return NSDecimalNumber(decimal: slot.load(from: row, as: Decimal.self))
    case .string: return slot.text(in: row)
    case .data: return slot.load(from: row, as: Data?.self)
    case .url: return slot.load(from: row, as: URL?.self)
    case .boxed: return slot.load(from: row, as: BoxedValue?.self)
    }
  }

  /// Sets an attribute.
  ///
  /// If the attribute cannot hold the value's type, returns false and changes nothing. Boxed slots
  /// accept only boxes.
  package func setValue(_ value: Any?, ofAttribute ordinal: Int, in row: RowReference) -> Bool {
    let slot = slots[ordinal]
    guard let value, !isNull(value) else {
      setNil(slot, in: row)
      return true
    }
    switch slot.kind {
    case .none, .toOne: return false
    case .bool: return set((value as? NSNumber)?.boolValue, slot, in: row)
    case .int16: return set((value as? NSNumber)?.int16Value, slot, in: row)
    case .int32: return set((value as? NSNumber)?.int32Value, slot, in: row)
    case .int64: return set((value as? NSNumber)?.int64Value, slot, in: row)
    case .float: return set((value as? NSNumber)?.floatValue, slot, in: row)
    case .double: return set((value as? NSNumber)?.doubleValue, slot, in: row)
    case .date: return set((value as? Date)?.timeIntervalSinceReferenceDate, slot, in: row)
    case .uuid: return set(value as? UUID, slot, in: row)
    case .decimal:
      return set((value as? NSNumber)?.decimalValue ?? value as? Decimal, slot, in: row)
    case .string: return setReference(value as? String, slot, in: row)
    case .data: return setReference(value as? Data, slot, in: row)
    case .url: return setReference(value as? URL, slot, in: row)
    case .boxed: return setReference(value as? BoxedValue, slot, in: row)
    }
  }

  /// Sets a slot to null, and its value to nil or zero, so that a null number reads as zero.
  package func setNil(_ slot: RowSlot, in row: RowReference) {
    switch slot.kind {
    case .string: slot.store(String?.none, isNull: true, in: row)
    case .data: slot.store(Data?.none, isNull: true, in: row)
    case .url: slot.store(URL?.none, isNull: true, in: row)
    case .boxed: slot.store(BoxedValue?.none, isNull: true, in: row)
    default: slot.clear(in: row)
    }
  }

  private func set<Value>(_ value: Value?, _ slot: RowSlot, in row: RowReference) -> Bool {
    guard let value else { return false }
    slot.store(value, in: row)
    return true
  }

  private func setReference<Value>(_ value: Value?, _ slot: RowSlot, in row: RowReference) -> Bool {
    guard value != nil else { return false }
    slot.store(value, in: row)
    return true
  }
}
