import ManagedObjectModel

/// The conversion of a column's value into a dictionary's value.
enum ResultKind: Hashable, Sendable {
  /// The value of an attribute.
  case attribute(ColumnEncoding)
  /// The identifier of an object of this layout.
  case object(layout: Int)
  /// The identifier of an object whose entity number is in the next column.
  case objectOfNumber
  /// An integer, a floating-point number, a text, or data, without conversion.
  case any
}

extension ValueKind {
  /// The conversion for values of this kind; nil if the requested type cannot represent them.
  ///
  /// - Parameter type: The number of an attribute type; 0 for the type of the value.
  func result(wanted type: UInt) -> ResultKind? {
    switch NSAttributeType(rawValue: type) {
    case .integer16AttributeType: .attribute(.int16)
    case .integer32AttributeType: .attribute(.int32)
    case .integer64AttributeType: .attribute(.int64)
    case .decimalAttributeType: .attribute(.decimal)
    case .doubleAttributeType: .attribute(.double)
    case .floatAttributeType: .attribute(.float)
    case .stringAttributeType: .attribute(.string)
    case .booleanAttributeType: .attribute(.bool)
    case .dateAttributeType: .attribute(.date)
    case .URIAttributeType: .attribute(.url)
    case .UUIDAttributeType: self == .uuid ? .attribute(.uuid) : nil
    case .binaryDataAttributeType, .transformableAttributeType, .objectIDAttributeType,
      .undefinedAttributeType:
      own
    case .compositeAttributeType, nil: nil
    }
  }

  /// The conversion for values of this kind in their own type.
  private var own: ResultKind? {
    switch self {
    case .boolean: .attribute(.bool)
    case .integer(16): .attribute(.int16)
    case .integer(32): .attribute(.int32)
    case .integer: .attribute(.int64)
    case .float: .attribute(.float)
    case .double: .attribute(.double)
    case .decimal: .attribute(.decimal)
    case .date: .attribute(.date)
    case .text: .attribute(.string)
    case .url: .attribute(.url)
    case .uuid: .attribute(.uuid)
    case .data(let isTagged): .attribute(isTagged ? .taggedData : .data)
    case .encoded(let isTagged): .attribute(isTagged ? .taggedEncoded : .encoded)
    case .key(let layout, _): .object(layout: layout)
    case .entity, .entityName: nil
    case .unknown: .any
    }
  }
}
