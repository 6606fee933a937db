import ManagedObjectModel

/// What is made of a column's value.
enum ResultKind: Hashable, Sendable {
  /// The value of an attribute.
  case attribute(ColumnEncoding)
  /// The identifier of an object of this layout.
  case object(layout: Int)
  /// The identifier of an object whose entity's number is in the next column.
  case objectOfNumber
  /// A whole or a floating-point number, a text or data, as it lies there.
  case any
}

extension ValueKind {
  /// What is made of a value of the kind; nil where it cannot be had in the type that is wanted.
  ///
  /// - Parameter type: The number of an attribute type; 0 for the type that the value has.
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

  /// What is made of a value of the kind in its own type.
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
