import Foundation

/// The compiled form of a template.
///
/// All predicates that it creates share the parts without arguments.
enum PredicatePattern {
  case fixed(NSPredicate)
  case comparison(NSComparisonPredicate, left: Side, right: Side)
  case compound(NSCompoundPredicate.LogicalType, [PredicatePattern])

  /// A side of a comparison.
  enum Side {
    case fixed(NSExpression)
    /// An argument, by its number.
    case argument(Int)
    /// An expression that contains arguments.
    ///
    /// The case has no array as a second associated value. With one, the enum would store its tag
    /// bits in the array's address, and the leak sanitizer would report the array as leaked.
    case expression(NSExpression)
  }

  /// The pattern of a predicate whose arguments are marked by these expressions.
  init(_ predicate: NSPredicate, _ markers: [NSExpression]) {
    switch predicate.node {
    case .constant, .opaque: self = .fixed(predicate)
    case .comparison(let comparison):
      self = .comparison(
        comparison, left: Side(comparison.leftExpression, markers),
        right: Side(comparison.rightExpression, markers))
    case .and(let parts): self = .compound(.and, parts.map { PredicatePattern(part: $0, markers) })
    case .or(let parts): self = .compound(.or, parts.map { PredicatePattern(part: $0, markers) })
    case .not(let part): self = .compound(.not, [PredicatePattern(part: part, markers)])
    }
  }

  /// The pattern of a part, which is shared if it has no arguments.
  private init(part: NSPredicate, _ markers: [NSExpression]) {
    let pattern = PredicatePattern(part, markers)
    self = pattern.hasArguments ? pattern : .fixed(part)
  }

  private var hasArguments: Bool {
    switch self {
    case .fixed: false
    case .comparison(_, .fixed, .fixed): false
    case .comparison: true
    case .compound(_, let parts): parts.contains(where: \.hasArguments)
    }
  }

  /// The number of arguments that are a whole side of a comparison.
  var sideArgumentCount: Int {
    switch self {
    case .fixed: 0
    case .comparison(_, let left, let right): left.sideArgumentCount + right.sideArgumentCount
    case .compound(_, let parts): parts.reduce(0) { $0 + $1.sideArgumentCount }
    }
  }
}

// MARK: - Filling

extension PredicatePattern {
  /// The predicate with the arguments filled in; nil if one does not fit.
  ///
  /// - Parameter template: The template that the predicate refers to.
  func filled(with arguments: PatternArguments, by template: PredicateTemplate?) -> NSPredicate? {
    switch self {
    case .fixed(let predicate): return predicate
    case .comparison(let comparison, let left, let right):
      guard let left = left.filled(with: arguments), let right = right.filled(with: arguments)
      else { return nil }
      return NSComparisonPredicate(comparison, left: left, right: right, template: template)
    case .compound(let type, let parts):
      var filled: [NSPredicate] = []
      filled.reserveCapacity(parts.count)
      for part in parts {
        guard let predicate = part.filled(with: arguments, by: nil) else { return nil }
        filled.append(predicate)
      }
      return CompoundPredicate(type: type, subpredicates: filled, template: template)
    }
  }

  /// Calls a closure with the arguments that are a whole side of a comparison, from left to right.
  ///
  /// - Parameter predicate: A predicate that this pattern created.
  func forEachArgument(of predicate: NSPredicate, _ body: (NSExpression) -> Void) {
    switch self {
    case .fixed: break
    case .comparison(_, let left, let right):
      guard let comparison = predicate as? NSComparisonPredicate else { return }
      if case .argument = left { body(comparison.leftExpression) }
      if case .argument = right { body(comparison.rightExpression) }
    case .compound(_, let parts):
      guard let compound = predicate as? NSCompoundPredicate else { return }
      for (part, predicate) in zip(parts, compound.subpredicates) {
        part.forEachArgument(of: predicate, body)
      }
    }
  }
}

extension PredicatePattern.Side {
  fileprivate init(_ expression: NSExpression, _ markers: [NSExpression]) {
    if let number = markers.firstIndex(where: { $0 === expression }) {
      self = .argument(number)
    } else {
      self = Self.contains(expression, markers) ? .expression(expression) : .fixed(expression)
    }
  }

  private static func contains(_ expression: NSExpression, _ markers: [NSExpression]) -> Bool {
    var found = false
    _ = try? expression.replacingExpressions { part throws(PredicateEvaluationError) in
      if markers.contains(where: { $0 === part }) { found = true }
      return nil
    }
    return found
  }

  fileprivate var sideArgumentCount: Int {
    if case .argument = self { 1 } else { 0 }
  }

  fileprivate func filled(with arguments: PatternArguments) -> NSExpression? {
    switch self {
    case .fixed(let expression): expression
    case .argument(let number): arguments.expression(number)
    case .expression(let expression): arguments.filling(expression)
    }
  }
}
