package import Foundation

/// A sort descriptor that knows its property by name, as Core Data needs it.
///
/// On this platform Foundation's own class knows only Swift key paths. The initialisers that take
/// names or key paths of objects return instances of this class.
package final class PropertySortDescriptor: NSSortDescriptor {
  /// The path of the property; `nil` for the object itself.
  package let path: PropertyPath?
  /// The rule by which the values are compared.
  package let rule: SortRule
  private let isAscending: Bool
  private let comparison: SortComparison
  /// The Swift key path that the descriptor was created with, if any.
  private let origin: AnyKeyPath?

  /// Creates a descriptor of a property by its dotted name.
  package init(_ key: String?, ascending: Bool, _ rule: SortRule, origin: AnyKeyPath? = nil) {
    self.origin = origin
    path = key.flatMap { $0 == "self" ? nil : PropertyPath($0) }
    self.rule = rule
    isAscending = ascending
    let comparison = SortComparison(rule)
    self.comparison = comparison
    // Foundation requires a key path, which is not used. A key path from an object would select our
    // own initialiser.
    super.init(keyPath: \PropertyPath.text, ascending: ascending) { left, right in
      (try? comparison.compare(left, right)) ?? .orderedSame
    }
  }

  @available(
    *, unavailable,
    message: "Decode an NSSortDescriptor: its init(coder:) creates instances of this class."
  )
  package required init?(coder: NSCoder) {
    path = nil
    rule = .natural
    isAscending = true
    comparison = SortComparison(.natural)
    origin = nil
    super.init(keyPath: \PropertyPath.text, ascending: true) { _, _ in .orderedSame }
  }

  package override var ascending: Bool { isAscending }

  /// The key path that the descriptor was created with.
  ///
  /// For a descriptor that was created with a name, it is a placeholder, because Foundation's
  /// property is not optional.
  package override var keyPath: AnyKeyPath { origin ?? super.keyPath }

  package override var reversedSortDescriptor: Any { directed(ascending: !isAscending) }

  /// The descriptor of the same property and comparison in the given order.
  func directed(ascending: Bool) -> PropertySortDescriptor {
    guard ascending != isAscending else { return self }
    return PropertySortDescriptor(path?.text, ascending: ascending, rule, origin: origin)
  }

  package override func copy(with zone: NSZone? = nil) -> Any { self }

  package override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    stopOnError { () throws(PredicateEvaluationError) in
      try compare(value(of: object1), value(of: object2))
    }
  }

  /// Runs the body, and stops the program if it throws: there is no order to return.
  func stopOnError<Result>(_ body: () throws(PredicateEvaluationError) -> Result) -> Result {
    do {
      return try body()
    } catch {
      preconditionFailure("The sort descriptor \(self) cannot compare: \(error)")
    }
  }

  /// The value of the property.
  package func value(of object: Any) throws(PredicateEvaluationError) -> Any? {
    guard let path else { return unwrapped(object) }
    return try KeyValueReader.value(of: object, at: path.components[...])
  }

  /// The order of two values of the property, with the direction applied.
  package func compare(_ left: Any?, _ right: Any?) throws(PredicateEvaluationError)
    -> ComparisonResult
  {
    let result = try comparison.compare(left, right)
    return isAscending ? result : result.reversed
  }

  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? PropertySortDescriptor else { return false }
    // Closures cannot be compared, so a descriptor with a closure is equal to itself only.
    guard self !== other else { return true }
    return path == other.path && isAscending == other.isAscending && rule.selector != nil
      && rule.selector == other.rule.selector
  }

  package override var hash: Int {
    var hasher = Hasher()
    hasher.combine(path)
    hasher.combine(isAscending)
    hasher.combine(rule.selector)
    return hasher.finalize()
  }

  package override var description: String {
    let comparison = rule.selector.map(NSStringFromSelector) ?? "comparator"
    return "(\(path?.text ?? "self"), \(isAscending ? "ascending" : "descending"), \(comparison))"
  }
}
