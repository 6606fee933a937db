import CloudRecords
import Foundation
import GeographicLocations

/// The value of a field, as a record stores it.
enum FieldContent: Equatable, @unchecked Sendable {
  case string(String)
  case integer(Int64)
  case double(Double)
  case date(Date)
  case data(Data)
  case reference(CKRecord.Reference)
  case asset(CKAsset)
  case location(CLLocation)
  /// Values of the same kind.
  case list([FieldContent])

  /// The value for the public API.
  ///
  /// Numbers are `NSNumber`, so that they can be cast to any numeric type.
  var value: any CKRecordValueProtocol {
    switch self {
    case .string(let text): text
    case .integer(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .date(let date): date
    case .data(let data): data
    case .reference(let reference): reference
    case .asset(let asset): asset
    case .location(let location): location
    case .list(let members): Self.array(members)
    }
  }

  /// Why the value cannot be transmitted, as the predicate of a sentence about its field; nil if it
  /// can.
  var defect: String? {
    switch self {
    case .double(let number): number.isFinite ? nil : "contains a number that is infinite or NaN"
    case .location(let place): LocationValue(place).defect
    case .list(let members): members.lazy.compactMap(\.defect).first
    default: nil
    }
  }

  /// Returns a list as a typed array.
  private static func array(_ members: [FieldContent]) -> any CKRecordValueProtocol {
    func all<Member: CKRecordValueProtocol>(_ type: Member.Type) -> [Member] {
      members.compactMap { $0.value as? Member }
    }
    return switch members.first {
    case .string, nil, .list: all(String.self)
    case .integer, .double: all(NSNumber.self)
    case .date: all(Date.self)
    case .data: all(Data.self)
    case .reference: all(CKRecord.Reference.self)
    case .asset: all(CKAsset.self)
    case .location: all(CLLocation.self)
    }
  }
}

// MARK: Conversion from public types

/// A type that can be converted to a field's value.
private protocol FieldContentConvertible {
  var fieldContent: FieldContent? { get }
}

extension FieldContent {
  /// Converts a value; nil for unsupported types, mixed lists and nested lists.
  init?(_ value: Any) {
    guard let content = (value as? any FieldContentConvertible)?.fieldContent else { return nil }
    self = content
  }

  /// Converts values to a list; nil if a value is unsupported or the values differ in kind.
  ///
  /// If any element is a double, all integers become doubles.
  fileprivate static func list(of values: some Sequence) -> FieldContent? {
    var members: [FieldContent] = []
    for value in values {
      guard let member = FieldContent(value) else { return nil }
      members.append(member)
    }
    if members.contains(where: { $0.kind == .double }) { members = members.map(\.asDouble) }
    guard members.allSatisfy({ $0.kind == members[0].kind && $0.kind != .list }) else { return nil }
    return .list(members)
  }

  private enum Kind { case string, integer, double, date, data, reference, asset, location, list }

  private var kind: Kind {
    switch self {
    case .string: .string
    case .integer: .integer
    case .double: .double
    case .date: .date
    case .data: .data
    case .reference: .reference
    case .asset: .asset
    case .location: .location
    case .list: .list
    }
  }

  private var asDouble: FieldContent {
    if case .integer(let number) = self { .double(Double(number)) } else { self }
  }
}

extension String: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .string(self) }
}

extension NSString: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .string(self as String) }
}

extension Bool: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .integer(self ? 1 : 0) }
}

extension FieldContentConvertible where Self: FixedWidthInteger {
  fileprivate var fieldContent: FieldContent? { Int64(exactly: self).map { .integer($0) } }
}

extension Int: FieldContentConvertible {}
extension Int8: FieldContentConvertible {}
extension Int16: FieldContentConvertible {}
extension Int32: FieldContentConvertible {}
extension Int64: FieldContentConvertible {}
extension UInt: FieldContentConvertible {}
extension UInt8: FieldContentConvertible {}
extension UInt16: FieldContentConvertible {}
extension UInt32: FieldContentConvertible {}
extension UInt64: FieldContentConvertible {}

extension Float: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .double(Double(self)) }
}

extension Double: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .double(self) }
}

extension NSNumber: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? {
    switch unsafe UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(doubleValue)
    case UInt8(ascii: "Q"): uint64Value.fieldContent
    default: .integer(int64Value)
    }
  }
}

extension Date: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .date(self) }
}

extension NSDate: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .date(self as Date) }
}

extension Data: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .data(self) }
}

extension NSData: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .data(self as Data) }
}

extension CKReference: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .reference(self) }
}

extension CKAsset: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .asset(self) }
}

extension CLLocation: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .location(self) }
}

extension Array: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .list(of: self) }
}

extension NSArray: FieldContentConvertible {
  fileprivate var fieldContent: FieldContent? { .list(of: self) }
}
