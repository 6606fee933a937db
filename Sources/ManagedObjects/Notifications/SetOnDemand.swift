import Foundation
import Synchronization

/// A set in the `userInfo` of a notification, made when an observer first reads it.
///
/// Most saves have no observer, and their sets would cost more than the rest of the object graph's
/// work. The cast of an `NSSet` subclass to `Set` would return an empty set. So this class is a
/// box, like those that Foundation makes of Swift values: casts to any type unbox the set.
// Sendable: observers on any thread make the set under the lock, from values that do not change.
final class SetOnDemand<Element: Hashable>: _NSSwiftValue, @unchecked Sendable {
  private let make: () -> Set<Element>
  private let made = Mutex<Set<Element>?>(nil)

  /// Creates a set on demand.
  ///
  /// - Parameter make: Makes the set, at most once and on any thread.
  init(making make: @escaping () -> Set<Element>) { self.make = make }

  /// Creates a box of a set that exists, as the standard library's protocol requires.
  convenience init(_ value: Any) {
    guard let set = value as? Set<Element> else {
      preconditionFailure("A set of \(Element.self) cannot hold a \(type(of: value)).")
    }
    self.init(making: { set })
  }

  /// The set, which is what casts read.
  var value: Any { elements }

  /// The elements of the set.
  var elements: Set<Element> {
    made.withLock { made in
      let elements = made ?? make()
      made = elements
      return elements
    }
  }

  /// The representation of nil, as the standard library's protocol requires.
  static var null: AnyObject { NSNull() }
}

extension SetOnDemand: CustomStringConvertible, CustomReflectable {
  var description: String { elements.description }
  var customMirror: Mirror { Mirror(reflecting: elements) }
}
