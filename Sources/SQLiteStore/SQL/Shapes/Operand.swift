import PredicateLanguage

/// An expression without its values.
///
/// The usual cases have no boxes, so that reading a predicate allocates little.
enum Operand: Hashable, Sendable {
  /// A constant of the fetch.
  case constant(Constant)
  /// A number that the SQL depends on, such as the 0 of `@count > 0`.
  case literal(Int64)
  /// The row itself.
  case row(PathRoot)
  /// The value at a path from a row.
  case path(PathRoot, PropertyPath)
  case function(ExpressionFunction, [Operand])
  indirect case cast(Operand, type: String)
  indirect case conditional(Condition, Operand, Operand)
  /// A collection of operands, not all of which are constants.
  case list([Operand])
  /// The values between two constants.
  indirect case range(Constant, Constant, includesUpper: Bool)
  indirect case subquery(Subquery)
  /// A path from the rows of a subquery, such as its `@count`.
  indirect case subqueryPath(Subquery, PropertyPath)
}

/// The row that a path starts at.
enum PathRoot: Hashable, Sendable {
  case object
  case variable(String)
}

/// The elements of a collection for which a condition holds.
struct Subquery: Hashable, Sendable {
  let collection: Operand
  let variable: String
  let condition: Condition
}

extension Operand {
  var constant: Constant? {
    if case .constant(let constant) = self { return constant }
    return nil
  }

  /// Whether the operand is a constant, or a range of constants.
  var isConstant: Bool {
    switch self {
    case .constant, .range: true
    default: false
    }
  }

  /// Whether it counts the elements of a collection.
  var isCount: Bool {
    switch self {
    case .path(_, let path), .subqueryPath(_, let path): path.components.last == "@count"
    case .function(let function, _): function == .count
    default: false
    }
  }
}
