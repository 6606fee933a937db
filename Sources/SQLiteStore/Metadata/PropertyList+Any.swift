import Foundation
import ObjectRows
package import PropertyLists

extension PropertyList {
  /// The value as a Foundation type.
  package var anyValue: Any {
    switch self {
    case .null: NSNull()
    case .boolean(let value): value
    case .integer(let value):
      Int(exactly: value).map { $0 as Any } ?? UInt64(exactly: value).map { $0 as Any }
        ?? Double(value)
    case .float(let value): value
    case .double(let value): value
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .string(let text): text
    case .uid(let number): number
    case .array(let elements), .set(let elements): elements.map(\.anyValue)
    case .dictionary(let entries): entries.mapValues(\.anyValue)
    }
  }

  /// The property list of a value, or nil if a property list cannot contain it.
  package init?(anyValue value: Any) {
    switch value {
    case let value as Bool where !(value as Any is NSNumber): self = .boolean(value)
    case let value as NSNumber: self.init(number: value)
    case let value as any BinaryInteger: self = .integer(Int128(truncatingIfNeeded: value))
    case let value as Double: self = .double(value)
    case let value as Float: self = .float(value)
    case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
    case let value as Data: self = .data([UInt8](value))
    case let value as String: self = .string(value)
    case let value as UUID: self = .string(value.uuidString)
    case let value as URL: self = .string(value.absoluteString)
    case let value as [Any]: self.init(elements: value)
    case let value as [String: Any]: self.init(entries: value)
    default: return nil
    }
  }

  private init?(elements: [Any]) {
    let values = elements.compactMap(PropertyList.init(anyValue:))
    guard values.count == elements.count else { return nil }
    self = .array(values)
  }

  private init?(entries: [String: Any]) {
    let values = entries.compactMapValues(PropertyList.init(anyValue:))
    guard values.count == entries.count else { return nil }
    self = .dictionary(values)
  }

  private init(number: NSNumber) {
    switch unsafe number.objCType.pointee {
    case Int8(UInt8(ascii: "B")): self = .boolean(number.boolValue)
    case Int8(UInt8(ascii: "c")) where number.intValue == 0 || number.intValue == 1:
      self = .boolean(number.boolValue)
    case Int8(UInt8(ascii: "f")): self = .float(number.floatValue)
    case Int8(UInt8(ascii: "d")): self = .double(number.doubleValue)
    case Int8(UInt8(ascii: "Q")): self = .integer(Int128(number.uint64Value))
    default: self = .integer(Int128(number.int64Value))
    }
  }
}
