import Foundation

/// Any `Optional`, whatever its wrapped type.
private protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrappedValue: Any? { self }
}

/// The value without any optionals around it; nil for `NSNull`.
package func unwrapped(_ value: Any) -> Any? {
  let type = type(of: value)
  if type is AnyClass { return value is NSNull ? nil : value }
  if type == String.self || type == Int.self || type == Double.self || type == Date.self
    || type == Int64.self
  {
    return value
  }
  if let optional = value as? any OptionalValue {
    return optional.wrappedValue.flatMap(unwrapped)
  }
  return value
}
