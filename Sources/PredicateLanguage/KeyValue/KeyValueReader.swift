import Foundation

/// Reads values by key and by key path with Apple's rules.
///
/// Any key of `nil` is `nil`. A key of an array or set is the array of its elements' values, with
/// nulls for `nil`. `@` begins a collection operator.
enum KeyValueReader {
  /// The value at a path of keys and collection operators.
  static func value(of object: Any?, at path: ArraySlice<String>) throws(PredicateEvaluationError)
    -> Any?
  {
    guard path.count <= Limits.pathComponents else { throw .pathTooLong(path) }
    var current = object
    var rest = path
    while let key = rest.popFirst() {
      guard let value = current.flatMap(unwrapped) else { return nil }
      if key.first == "@" {
        return try CollectionOperator.value(key, of: value, rest: rest)
      }
      current = try self.value(of: value, forKey: key)
    }
    return current.flatMap(unwrapped)
  }

  /// The value of one key.
  static func value(of object: Any, forKey key: String) throws(PredicateEvaluationError) -> Any? {
    if type(of: object) == [String: Any].self, let dictionary = object as? [String: Any] {
      return dictionary[key]
    }
    if let coded = object as? any KeyValueCoding {
      if coded.hasValue(forKey: key) { return coded.value(forKey: key) }
      guard FetchEvaluation.isCurrent, (coded as? any FetchableObject)?.lacksProperty(key) == true
      else { throw .unknownKey(key, of: object) }
      return nil
    }
    if let keyed = object as? any KeyedCollection { return keyed.value(forTextKey: key) }
    if key == "self" { return object }
    if let elements = Elements(object) { return try values(of: elements, forKey: key) }
    return try plainValue(of: object, forKey: key)
  }

  private static func values(of elements: Elements, forKey key: String)
    throws(PredicateEvaluationError) -> Any?
  {
    var values: [Any] = []
    values.reserveCapacity(elements.values.count)
    for element in elements.values {
      guard let element else {
        values.append(NSNull())
        continue
      }
      values.append(try value(of: element, forKey: key).flatMap(unwrapped) ?? NSNull())
    }
    return values
  }

  private static func plainValue(of object: Any, forKey key: String)
    throws(PredicateEvaluationError) -> Any?
  {
    if let value = FoundationKeys.value(of: object, forKey: key) { return value }
    if let property = Reflection.property(key, of: object) { return property.value }
    throw .unknownKey(key, of: object)
  }
}

/// A dictionary, whose keys are its properties; a missing key is `nil`.
private protocol KeyedCollection {
  func value(forTextKey key: String) -> Any?
}

extension Dictionary: KeyedCollection {
  fileprivate func value(forTextKey key: String) -> Any? {
    guard let typed = key as? Key ?? (AnyHashable(key) as? Key) else { return nil }
    return self[typed]
  }
}

extension NSDictionary: KeyedCollection {
  fileprivate func value(forTextKey key: String) -> Any? { object(forKey: key as NSString) }
}
