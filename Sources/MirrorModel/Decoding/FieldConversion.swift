import CloudKitClient
import Foundation
import ManagedObjectModel

/// Converts a field's value to the value of an attribute.
struct FieldConversion {
  /// The reason why a value is invalid, as the end of a sentence that begins with the field.
  package struct Failure: Error, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }
  }

  private let type: NSAttributeType

  init(_ type: NSAttributeType) { self.type = type }

  /// Converts an asset's file: text is read, bytes stay in the file.
  package func value(of file: BorrowedFile) throws -> MirrorValue {
    guard type == .stringAttributeType else { return .file(file) }
    guard let text = String(validating: try file.mapped(), as: UTF8.self) else {
      throw Failure(reason: "is an asset that is not text in UTF-8")
    }
    return .string(text)
  }

  /// Converts an inline value.
  ///
  /// Integers and doubles may replace each other if the number is the same.
  package func value(of field: any CKRecordValueProtocol) throws(Failure) -> MirrorValue {
    switch type {
    case .integer16AttributeType: .integer(try integer(field, Int16.self))
    case .integer32AttributeType: .integer(try integer(field, Int32.self))
    case .integer64AttributeType: .integer(try integer(field, Int64.self))
    case .booleanAttributeType: .boolean(try number(field).doubleValue != 0)
    case .doubleAttributeType: .double(try number(field).doubleValue)
    case .floatAttributeType: .float(Float(try number(field).doubleValue))
    case .decimalAttributeType: .decimal(try decimal(field))
    case .dateAttributeType: .date(try cast(field, "a date"))
    case .binaryDataAttributeType, .transformableAttributeType: .data(try cast(field, "data"))
    case .UUIDAttributeType: .uuid(try parsed(field, "a UUID", UUID.init(uuidString:)))
    case .URIAttributeType: .uri(try parsed(field, "an address", URL.init(string:)))
    default: .string(try cast(field, "a text"))
    }
  }

  private func cast<Value>(_ field: any CKRecordValueProtocol, _ kind: String) throws(Failure)
    -> Value
  {
    if let value = field as? Value { return value }
    throw Failure(reason: "is not \(kind), but \(FieldReader.name(of: field))")
  }

  private func number(_ field: any CKRecordValueProtocol) throws(Failure) -> NSNumber {
    try cast(field, "a number")
  }

  private func integer<Size: FixedWidthInteger>(
    _ field: any CKRecordValueProtocol, _ size: Size.Type
  ) throws(Failure) -> Int64 {
    let number = try number(field)
    let isDouble = unsafe [UInt8(ascii: "d"), UInt8(ascii: "f")].contains(
      UInt8(bitPattern: number.objCType.pointee))
    let exact = isDouble ? Int64(exactly: number.doubleValue) : number.int64Value
    guard let exact, Size(exactly: exact) != nil else {
      throw Failure(reason: "is \(number), which is not an integer of \(Size.bitWidth) bits")
    }
    return exact
  }

  /// Returns the shortest decimal nearest to the number, which is the same on every device.
  private func decimal(_ field: any CKRecordValueProtocol) throws(Failure) -> Decimal {
    let number = try number(field).doubleValue
    guard let decimal = Decimal(string: "\(number)", locale: nil), decimal.isFinite else {
      throw Failure(reason: "is \(number), which is beyond decimals")
    }
    return decimal
  }

  private func parsed<Value>(
    _ field: any CKRecordValueProtocol, _ kind: String, _ parse: (String) -> Value?
  ) throws(Failure) -> Value {
    let text: String = try cast(field, "a text")
    if let value = parse(text) { return value }
    throw Failure(reason: "is “\(text.prefix(80))”, which is not \(kind)")
  }
}
