/// Something whose properties can be read by name.
///
/// Parhelion's addition.
///
/// Predicates, sort descriptors and expressions read objects through it, as they do through
/// key-value coding on Apple's platforms. Managed objects adopt it; dictionaries need not. A class
/// of your own may adopt it so that its instances can be filtered by predicates:
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
  /// The value of the property; `nil` where it has none.
  func value(forKey key: String) -> Any?

  /// Whether there is such a property. It is asked before every `value(forKey:)`.
  func hasValue(forKey key: String) -> Bool
}

extension KeyValueCoding {
  /// Every key is taken to be known unless the type says otherwise.
  public func hasValue(forKey key: String) -> Bool { true }
}
