import Foundation

extension Value {
  /// Whether two values are equal in the sense of `isEqual:`.
  ///
  /// Numbers are compared by value, texts scalar by scalar; values of different kinds are never
  /// equal. Null equals null.
  package func isEqual(to other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.date(let left), .date(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.url(let left), .url(let right)): left.absoluteString == right.absoluteString
    case (.collection(let left), .collection(let right)): left.isEqual(to: right)
    case (.other(let left), .other(let right)): areEqual(left, right)
    default: false
    }
  }
}

extension Value {
  /// The text of a URL; nil for other values.
  var textOfURL: String? { if case .url(let url) = self { url.absoluteString } else { nil } }

  /// The value as predicates and sort descriptors compare it: a URL is its text, as in a store.
  var comparable: Value { textOfURL.map(Value.string) ?? self }
}

extension Elements {
  /// Whether both have the same elements, in the same order unless both are sets.
  fileprivate func isEqual(to other: Elements) -> Bool {
    guard values.count == other.values.count, isSet == other.isSet else { return false }
    if isSet {
      let index = MembershipIndex(other.values, folding: nil)
      return values.allSatisfy { index.contains(Value($0)) }
    }
    return zip(values, other.values).allSatisfy { Value($0).isEqual(to: Value($1)) }
  }
}

/// Whether two values of other types are equal: by their own equality, or else by identity.
private func areEqual(_ left: Any, _ right: Any) -> Bool {
  if let left = left as? NSObject, type(of: left as Any) is AnyClass {
    return left.isEqual(right)
  }
  if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
  if type(of: left) is AnyClass, type(of: right) is AnyClass {
    return (left as AnyObject) === (right as AnyObject)
  }
  guard let left = left as? any Equatable else { return false }
  return isEqual(left, right)
}

private func isEqual<Left: Equatable>(_ left: Left, _ right: Any) -> Bool {
  (right as? Left) == left
}
