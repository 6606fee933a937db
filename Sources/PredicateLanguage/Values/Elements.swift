import Foundation

/// The elements of a collection of any type.
package struct Elements {
  /// The elements, with `nil` for a null.
  package let values: [Any?]
  /// Whether the collection is unordered: two sets are equal in any order.
  package let isSet: Bool

  package init(_ values: [Any?], isSet: Bool = false) {
    self.values = values
    self.isSet = isSet
  }

  /// The elements of a value, if it is a collection: arrays and sets of Swift and Foundation, the
  /// values of dictionaries.
  package init?(_ value: Any) {
    switch value {
    case let array as [Any] where type(of: value) == [Any].self: self.init(array.map(unwrapped))
    case let collection as any ElementCollection:
      self.init(collection.elements, isSet: collection.isUnordered)
    default: return nil
    }
  }
}

/// A collection that returns its elements without conversion.
private protocol ElementCollection {
  var elements: [Any?] { get }
  var isUnordered: Bool { get }
}

extension ElementCollection {
  fileprivate var isUnordered: Bool { false }
}

extension Array: ElementCollection {
  fileprivate var elements: [Any?] { map { unwrapped($0) } }
}

extension ContiguousArray: ElementCollection {
  fileprivate var elements: [Any?] { map { unwrapped($0) } }
}

extension ArraySlice: ElementCollection {
  fileprivate var elements: [Any?] { map { unwrapped($0) } }
}

extension Set: ElementCollection {
  fileprivate var elements: [Any?] { map { unwrapped(($0 as AnyHashable).base) } }
  fileprivate var isUnordered: Bool { true }
}

extension Dictionary: ElementCollection {
  fileprivate var elements: [Any?] { values.map { unwrapped($0) } }
  fileprivate var isUnordered: Bool { true }
}

extension NSArray: ElementCollection {
  fileprivate var elements: [Any?] { map { unwrapped($0) } }
}

extension NSSet: ElementCollection {
  fileprivate var elements: [Any?] { allObjects.map { unwrapped($0) } }
  fileprivate var isUnordered: Bool { true }
}

extension NSOrderedSet: ElementCollection {
  fileprivate var elements: [Any?] { map { unwrapped($0) } }
}

extension NSDictionary: ElementCollection {
  fileprivate var elements: [Any?] { allValues.map { unwrapped($0) } }
  fileprivate var isUnordered: Bool { true }
}
