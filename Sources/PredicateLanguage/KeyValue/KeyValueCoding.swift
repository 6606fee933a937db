/// A type whose properties can be read by name.
///
/// Parhelion's addition.
///
/// Predicates, sort descriptors and expressions read objects through this protocol, as they do
/// through key-value coding on Apple's platforms. Managed objects adopt it; dictionaries need not.
/// If your own class adopts it, predicates can filter its instances:
///
/// ```swift
/// final class Book: KeyValueCoding {
///   var title = ""
///   func value(forKey key: String) -> Any? { key == "title" ? title : nil }
///   func hasValue(forKey key: String) -> Bool { key == "title" }
/// }
/// ```
///
/// The stored properties of other Swift types are found by reflection, which is slower.
public protocol KeyValueCoding {
  /// Returns the value of the property, or `nil` if it has none.
  func value(forKey key: String) -> Any?

  /// Returns whether there is such a property.
  ///
  /// Evaluation calls it before every `value(forKey:)`.
  func hasValue(forKey key: String) -> Bool
}

extension KeyValueCoding {
  /// Returns true: every key is valid, unless the type implements this method.
  public func hasValue(forKey key: String) -> Bool { true }
}
