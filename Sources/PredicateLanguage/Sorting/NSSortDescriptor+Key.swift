public import Foundation

/// Lets an initialiser of `NSSortDescriptor` give an object that was made elsewhere, possibly of a
/// subclass.
///
/// Assigning `self` is allowed in a protocol's extension only, hence the protocol.
public protocol SortDescriptorFactory {}

extension SortDescriptorFactory {
  init(made existing: Self) { self = existing }
}

extension NSSortDescriptor: SortDescriptorFactory {}

extension NSSortDescriptor {
  /// A descriptor that orders objects by the values of a property, by their own order.
  ///
  /// Texts are ordered by Unicode scalars; objects without a value come first when ascending.
  ///
  /// - Parameter key: the dotted name of the property; `nil` for the objects themselves.
  public convenience init(key: String?, ascending: Bool) {
    self.init(made: .fitting(PropertySortDescriptor(key, ascending: ascending, .natural)))
  }

  /// A descriptor that orders objects by a comparison of the values of a property.
  ///
  /// - Parameter selector: `compare:`, one of `NSString`'s comparisons (`caseInsensitiveCompare:`,
  ///   `localizedCompare:`, `localizedCaseInsensitiveCompare:`, `localizedStandardCompare:`), or a
  ///   method of values that adopt ``SelectorPerforming``. `nil` is `compare:`.
  public convenience init(key: String?, ascending: Bool, selector: Selector?) {
    let rule = selector.map(SortRule.init) ?? .natural
    self.init(made: .fitting(PropertySortDescriptor(key, ascending: ascending, rule)))
  }

  /// A descriptor that orders objects by a closure over the values of a property.
  ///
  /// The closure gets `NSNull` for an object without a value. A store cannot sort by it.
  public convenience init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
    self.init(made: .fitting(PropertySortDescriptor(key, ascending: ascending, .comparator(cmptr))))
  }

  /// The dotted name of the property, `nil` for the objects themselves.
  ///
  /// A descriptor that Foundation made from a Swift key path has the name that the key path has, if
  /// it has one.
  public var key: String? {
    if let descriptor = self as? PropertySortDescriptor { return descriptor.path?.text }
    return try? keyPath.propertyPath()
  }

  /// The method that compares the values, if it is not a closure.
  public var selector: Selector? { (self as? PropertySortDescriptor)?.rule.selector }

  /// Sort descriptors are always ready to be used here; the call is accepted for the sake of code
  /// that decodes them.
  public func allowEvaluation() {}

  /// The order of two objects; an error where Apple's platforms raise an exception.
  ///
  /// Parhelion's addition.
  ///
  /// - Throws: ``PredicateEvaluationError`` for an object without the property, or values that have
  ///   no order.
  public func compared(_ object1: Any, to object2: Any) throws -> ComparisonResult {
    guard let descriptor = self as? PropertySortDescriptor else {
      return compare(object1, to: object2)
    }
    return try descriptor.compare(descriptor.value(of: object1), descriptor.value(of: object2))
  }

  /// The descriptor as the class on which the initialiser was called.
  static func fitting(_ descriptor: PropertySortDescriptor) -> Self {
    guard let fitting = descriptor as? Self else {
      preconditionFailure(
        "Sort descriptors of a property are not of the class \(Self.self). Use NSSortDescriptor(…)."
      )
    }
    return fitting
  }
}
