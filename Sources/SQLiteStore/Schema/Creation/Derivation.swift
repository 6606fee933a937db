import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// How the value of a derived attribute follows from others.
enum Derivation {
  /// What is done to a text that is copied.
  enum TextFunction: String {
    case canonical = "canonical:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"

    /// The function in SQL; connections have it by `registerStoreFunctions`.
    var sqlName: String {
      switch self {
      case .canonical: "ParhelionCanonical"
      case .uppercase: "ParhelionUppercase"
      case .lowercase: "ParhelionLowercase"
      }
    }
  }

  /// The value at the end of to-one relationships, or an attribute of the object itself.
  case copy(path: [String], function: TextFunction?)
  /// The number of members of a to-many relationship.
  case count(relationship: String)
  /// The sum of an attribute over the members of a to-many relationship.
  case sum(relationship: String, attribute: String)
  /// The time of the save.
  case now

  /// The derivation of an expression, or nil where it is none that a store can compute.
  init?(_ expression: PredicateLanguage.NSExpression) {
    switch expression.expressionType {
    case .keyPath: self.init(keyPath: expression.keyPath)
    case .function where expression.function == "now": self = .now
    case .function:
      guard let argument = expression.arguments?.first, expression.arguments?.count == 1,
        argument.expressionType == .keyPath
      else { return nil }
      self.init(function: expression.function, path: Self.keys(of: argument.keyPath))
    default: return nil
    }
  }

  private init?(keyPath: String) {
    var path = Self.keys(of: keyPath)
    guard let last = path.last, last.hasPrefix("@") else {
      self = .copy(path: path, function: nil)
      return
    }
    path.removeLast()
    self.init(function: "\(last.dropFirst()):", path: path)
  }

  private init?(function: String, path: [String]) {
    switch (function, path.count) {
    case ("count:", 1): self = .count(relationship: path[0])
    case ("sum:", 2): self = .sum(relationship: path[0], attribute: path[1])
    default:
      guard let text = TextFunction(rawValue: function), !path.isEmpty else { return nil }
      self = .copy(path: path, function: text)
    }
  }

  private static func keys(of keyPath: String) -> [String] { keyPath.split(separator: ".").map(String.init) }
}
