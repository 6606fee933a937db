import Foundation

/// Something that can say whether it holds a value: `Optional`, whatever it wraps.
private protocol OptionalValue {
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrappedValue: Any? { self }
}

/// The value itself, out of every optional around it; `NSNull` is nothing.
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
