public import Foundation

/// Allows an initialiser of `NSSortDescriptor` to return an object that was created elsewhere,
/// possibly of a subclass.
///
/// Only an initialiser in a protocol's extension may assign `self`, hence the protocol.
public protocol SortDescriptorFactory {}

extension SortDescriptorFactory {
  package init(made existing: Self) { self = existing }
}

extension NSSortDescriptor: SortDescriptorFactory {}

extension NSSortDescriptor {
  /// Creates a descriptor that orders objects by a property, in the natural order of its values.
  ///
  /// Texts are ordered by Unicode scalars; in ascending order, objects without a value come first.
  ///
  /// - Parameter key: The dotted name of the property; `nil` for the objects themselves.
  public convenience init(key: String?, ascending: Bool) {
    self.init(made: .checkedCast(PropertySortDescriptor(key, ascending: ascending, .natural)))
  }

  /// Creates a descriptor that orders objects by a property, with a comparison method.
  ///
  /// - Parameter selector: `compare:`, one of `NSString`'s comparisons (`caseInsensitiveCompare:`,
  ///   `localizedCompare:`, `localizedCaseInsensitiveCompare:`, `localizedStandardCompare:`), or a
  ///   method of values that adopt ``SelectorPerforming``. `nil` is `compare:`.
  public convenience init(key: String?, ascending: Bool, selector: Selector?) {
    let rule = selector.map(SortRule.init) ?? .natural
    self.init(made: .checkedCast(PropertySortDescriptor(key, ascending: ascending, rule)))
  }

  /// Creates a descriptor that orders objects by a property, with a closure.
  ///
  /// The closure receives `NSNull` for an object without a value. A store cannot sort by it.
  public convenience init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
    self.init(
      made: .checkedCast(PropertySortDescriptor(key, ascending: ascending, .comparator(cmptr))))
  }

  /// The dotted name of the property, or `nil` for the objects themselves.
  ///
  /// For a descriptor that Foundation created from a Swift key path, it is the name of the key
  /// path, if it has one.
  public var key: String? {
    if let descriptor = self as? PropertySortDescriptor { return descriptor.path?.text }
    return try? keyPath.propertyPath()
  }

  /// The method that compares the values, if it is not a closure.
  public var selector: Selector? { (self as? PropertySortDescriptor)?.rule.selector }

  /// Does nothing: sort descriptors on this platform can always be evaluated.
  public func allowEvaluation() {}

  /// Returns the order of two objects, or throws an evaluation error.
  ///
  /// Parhelion's addition: Apple's platforms raise an exception instead.
  ///
  /// - Throws: ``PredicateEvaluationError`` for an object without the property, or values that have
  ///   no order.
  public func compared(_ object1: Any, to object2: Any) throws -> ComparisonResult {
    guard let descriptor = self as? PropertySortDescriptor else {
      return compare(object1, to: object2)
    }
    return try descriptor.compare(descriptor.value(of: object1), descriptor.value(of: object2))
  }

  /// The descriptor as an instance of the class whose initialiser was called.
  static func checkedCast(_ descriptor: PropertySortDescriptor) -> Self {
    guard let instance = descriptor as? Self else {
      preconditionFailure(
        "Sort descriptors of a property are not of the class \(Self.self). Use NSSortDescriptor(…)."
      )
    }
    return instance
  }
}
