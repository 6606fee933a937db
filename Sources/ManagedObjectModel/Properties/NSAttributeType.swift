/// The types of attributes.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
  /// No type.
  ///
  /// Allowed for transient attributes only.
  case undefinedAttributeType = 0
  /// A 16-bit signed integer.
  case integer16AttributeType = 100
  /// A 32-bit signed integer.
  case integer32AttributeType = 200
  /// A 64-bit signed integer.
  case integer64AttributeType = 300
  /// An exact decimal number.
  case decimalAttributeType = 400
  /// A floating-point number of double precision.
  case doubleAttributeType = 500
  /// A floating-point number of single precision.
  case floatAttributeType = 600
  /// A string.
  case stringAttributeType = 700
  /// A Boolean.
  case booleanAttributeType = 800
  /// A date and time.
  case dateAttributeType = 900
  /// Data.
  case binaryDataAttributeType = 1000
  /// A universally unique identifier.
  case UUIDAttributeType = 1100
  /// A uniform resource identifier.
  case URIAttributeType = 1200
  /// Any value, which a value transformer converts to data.
  case transformableAttributeType = 1800
  /// The identifier of a managed object.
  ///
  /// Used by expressions only.
  case objectIDAttributeType = 2000
  /// A group of named attributes.
  case compositeAttributeType = 2100
}
