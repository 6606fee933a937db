extension NSAttributeDescription {
  /// The types of attributes, with short names.
  public struct AttributeType: RawRepresentable, Hashable, Sendable {
    /// The same type as an `NSAttributeType`.
    public let rawValue: NSAttributeType

    /// Creates the type for an `NSAttributeType`.
    public init(rawValue: NSAttributeType) {
      self.rawValue = rawValue
    }

    /// No type.
    ///
    /// Allowed for transient attributes only.
    public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
    /// A 16-bit signed integer.
    public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
    /// A 32-bit signed integer.
    public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
    /// A 64-bit signed integer.
    public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
    /// An exact decimal number.
    public static let decimal = AttributeType(rawValue: .decimalAttributeType)
    /// A floating-point number of double precision.
    public static let double = AttributeType(rawValue: .doubleAttributeType)
    /// A floating-point number of single precision.
    public static let float = AttributeType(rawValue: .floatAttributeType)
    /// A string.
    public static let string = AttributeType(rawValue: .stringAttributeType)
    /// A Boolean.
    public static let boolean = AttributeType(rawValue: .booleanAttributeType)
    /// A date and time.
    public static let date = AttributeType(rawValue: .dateAttributeType)
    /// Data.
    public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
    /// A universally unique identifier.
    public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
    /// A uniform resource identifier.
    public static let uri = AttributeType(rawValue: .URIAttributeType)
    /// Any value, which a value transformer converts to data.
    public static let transformable = AttributeType(rawValue: .transformableAttributeType)
    /// The identifier of a managed object.
    ///
    /// Used by expressions only.
    public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
    /// A group of named attributes.
    public static let composite = AttributeType(rawValue: .compositeAttributeType)
  }
}
