import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// The computation of a derived attribute.
enum Derivation {
  /// The function that is applied to a copied text.
  enum TextFunction: String {
    case canonical = "canonical:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"

    /// The SQL function, which `registerStoreFunctions` adds to a connection.
    var sqlName: String {
      switch self {
      case .canonical: "ParhelionCanonical"
      case .uppercase: "ParhelionUppercase"
      case .lowercase: "ParhelionLowercase"
      }
    }
  }

  /// A condition on the related objects that take part.
  struct Filter {
    let predicate: NSPredicate
    /// The predicate's variable for the object, in a subquery.
    let variable: String?
  }

  /// The value at the end of to-one relationships, or an attribute of the object itself.
  case copy(path: [String], function: TextFunction?)
  /// The number of members of a to-many relationship.
  case count(relationship: String, filter: Filter?)
  /// The sum of an attribute over the members of a to-many relationship.
  case sum(relationship: String, attribute: String, filter: Filter?)
  /// The time of the save.
  case now

  /// The derivation of an expression, or nil if a store cannot compute it.
  init?(_ expression: PredicateLanguage.NSExpression) {
    if let path = Path(expression) {
      self.init(path: path)
    } else if expression.expressionType == .function, expression.function == "now" {
      self = .now
    } else if expression.expressionType == .function, let argument = expression.arguments?.first,
      expression.arguments?.count == 1, let path = Path(argument)
    {
      self.init(function: expression.function, path)
    } else {
      return nil
    }
  }

  /// The derivation of a path that may end with an operator, such as `books.pages.@sum`.
  private init?(path: Path) {
    guard let last = path.keys.last, last.hasPrefix("@") else {
      guard path.filter == nil else { return nil }
      self = .copy(path: path.keys, function: nil)
      return
    }
    self.init(
      function: "\(last.dropFirst()):", Path(keys: path.keys.dropLast(), filter: path.filter))
  }

  private init?(function: String, _ path: Path) {
    switch (function, path.keys.count) {
    case ("count:", 1): self = .count(relationship: path.keys[0], filter: path.filter)
    case ("sum:", 2):
      self = .sum(relationship: path.keys[0], attribute: path.keys[1], filter: path.filter)
    default:
      guard let text = TextFunction(rawValue: function), !path.keys.isEmpty, path.filter == nil
      else { return nil }
      self = .copy(path: path.keys, function: text)
    }
  }
}

/// The keys of an expression: those of a key path, or of a path from a subquery over a
/// relationship.
private struct Path {
  var keys: [String]
  var filter: Derivation.Filter?

  init(keys: [String], filter: Derivation.Filter?) {
    self.keys = keys
    self.filter = filter
  }

  init?(_ expression: PredicateLanguage.NSExpression) {
    switch expression.node {
    case .keyPath(let path): self.init(keys: Self.keys(path.text), filter: nil)
    case .subquery(let collection, let variable, let predicate):
      guard case .keyPath(let path) = collection.node else { return nil }
      self.init(
        keys: Self.keys(path.text),
        filter: Derivation.Filter(predicate: predicate, variable: variable))
    case .function:
      guard let (operand, path) = expression.node.keyPathOfOperand, let start = Path(operand) else {
        return nil
      }
      self.init(keys: start.keys + Self.keys(path.text), filter: start.filter)
    default: return nil
    }
  }

  private static func keys(_ keyPath: String) -> [String] {
    keyPath.split(separator: ".").map(String.init)
  }
}
