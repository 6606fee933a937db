/// The name under which a value transformer is known.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name as text.
  public var rawValue: String

  /// Makes a name of a text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Makes a name of a text.
  public init(_ rawValue: String) {
    self.rawValue = rawValue
  }
}

extension NSValueTransformerName {
  /// Turns true into false and false into true.
  public static let negateBooleanTransformerName = Self("NSNegateBoolean")

  /// Says whether there is no value.
  public static let isNilTransformerName = Self("NSIsNil")

  /// Says whether there is a value.
  public static let isNotNilTransformerName = Self("NSIsNotNil")

  /// Turns archives into values, whatever classes they name.
  @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
  public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")

  /// Turns archives into values, whatever classes they name.
  @available(*, deprecated, renamed: "secureUnarchiveFromDataTransformerName")
  public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")

  /// Turns archives into values of classes that are known to be harmless.
  public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
