/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as a string.
  public var rawValue: String

  /// Creates a name from a string.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates a name from a string.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }
}

extension NSValueTransformerName {
  /// A transformer that negates a Boolean.
  public static let negateBooleanTransformerName = Self("NSNegateBoolean")

  /// A transformer that returns whether a value is nil.
  public static let isNilTransformerName = Self("NSIsNil")

  /// A transformer that returns whether a value is not nil.
  public static let isNotNilTransformerName = Self("NSIsNotNil")

  /// A transformer that decodes archives of any classes.
  @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
  public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")

  /// A transformer that decodes archives of any classes.
  @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
  public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")

  /// A transformer that decodes archives of allowed classes only.
  public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
