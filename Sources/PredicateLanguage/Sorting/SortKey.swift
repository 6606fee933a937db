import Foundation
import Synchronization

/// The property and the comparison of a sort descriptor, as the argument of a subscript in a Swift
/// key path.
///
/// Foundation's `SortDescriptor` contains only a key path and the `Comparable` type at its end. So
/// a descriptor of a named property becomes `\Post[sortKey: …]`, whose values compare as the
/// descriptor does.
struct SortKey: Hashable, Sendable {
  /// The descriptor in ascending order.
  // @unchecked: a descriptor without a closure is immutable.
  private struct Ascending: @unchecked Sendable {
    let descriptor: PropertySortDescriptor
  }

  private let ascending: Ascending

  /// The key of a descriptor; `nil` if it compares with a closure, with a method of the values, or
  /// whole objects.
  init?(_ descriptor: NSSortDescriptor) {
    guard let descriptor = descriptor as? PropertySortDescriptor, descriptor.path != nil else {
      return nil
    }
    switch descriptor.rule {
    case .natural, .text: ascending = Ascending(descriptor: descriptor.directed(ascending: true))
    case .method, .comparator: return nil
    }
  }

  /// The key in a key path that contains one; `nil` for any other key path.
  ///
  /// A key path does not expose the arguments of its subscripts, but it hashes them.
  init?(in keyPath: AnyKeyPath) {
    let observer = HashObserver()
    Self.$observer.withValue(observer) { _ = keyPath.hashValue }
    guard let key = observer.key else { return nil }
    self = key
  }

  /// The dotted name of the property.
  var path: String { ascending.descriptor.path?.text ?? "self" }

  /// The descriptor that the key was created from, in the given order.
  func descriptor(ascending isAscending: Bool) -> PropertySortDescriptor {
    ascending.descriptor.directed(ascending: isAscending)
  }

  /// The value of the property; stops the program if the descriptor itself would.
  fileprivate func value(of object: NSObject) -> SortedValue {
    SortedValue(
      ascending.descriptor.stopOnError { () throws(PredicateEvaluationError) in
        try ascending.descriptor.value(of: object)
      }, ascending.descriptor)
  }

  static func == (left: SortKey, right: SortKey) -> Bool {
    left.ascending.descriptor.isEqual(right.ascending.descriptor)
  }

  func hash(into hasher: inout Hasher) {
    Self.observer?.record(self)
    hasher.combine(ascending.descriptor.hash)
  }

  /// Records the key that is hashed.
  private final class HashObserver: Sendable {
    private let seen = Mutex<SortKey?>(nil)

    var key: SortKey? { seen.withLock { $0 } }

    func record(_ key: SortKey) { seen.withLock { $0 = key } }
  }

  @TaskLocal private static var observer: HashObserver?
}

/// A property's value, ordered by a sort descriptor.
struct SortedValue: Comparable {
  private let value: Any?
  private let descriptor: PropertySortDescriptor

  fileprivate init(_ value: Any?, _ descriptor: PropertySortDescriptor) {
    self.value = value
    self.descriptor = descriptor
  }

  private func compare(_ other: SortedValue) -> ComparisonResult {
    descriptor.stopOnError { () throws(PredicateEvaluationError) in
      try descriptor.compare(value, other.value)
    }
  }

  static func == (left: SortedValue, right: SortedValue) -> Bool {
    left.compare(right) == .orderedSame
  }
  static func < (left: SortedValue, right: SortedValue) -> Bool {
    left.compare(right) == .orderedAscending
  }
}

extension NSObject {
  /// The value that a sort descriptor's key gives.
  subscript(sortKey key: SortKey) -> SortedValue { key.value(of: self) }
}
