/// A change of a to-many relationship by a method that Core Data recognizes by its name and
/// argument labels.
enum CollectionMutation: Equatable, Sendable {
  case add(isCollection: Bool)
  case remove(isCollection: Bool)
  case insert(isCollection: Bool)
  case removeAt
  case replace(isCollection: Bool)

  /// Parses a method's name into the mutation and the capitalized name of the relationship; nil if
  /// the method is not a mutation.
  static func parse(
    name: String, labels: [String?], types: [SwiftType]
  ) -> (mutation: CollectionMutation, relationship: String)? {
    let isCollection = types.map(\.isCollection)
    switch (labels.count, labels.first ?? nil) {
    case (1, nil):
      if let rest = name.relationship(after: "addTo") {
        return (.add(isCollection: isCollection[0]), rest)
      }
      if let rest = name.relationship(after: "removeFrom") {
        return (.remove(isCollection: isCollection[0]), rest)
      }
      if let rest = name.relationship(after: "add") {
        return (.add(isCollection: isCollection[0]), rest.beforeSuffix("Object") ?? rest)
      }
      if let rest = name.relationship(after: "remove") {
        return (.remove(isCollection: isCollection[0]), rest.beforeSuffix("Object") ?? rest)
      }
    case (1, "at"):
      if let rest = name.relationship(after: "removeFrom") { return (.removeAt, rest) }
    case (2, nil):
      if let rest = name.relationship(after: "insertInto"), labels[1] == "at" {
        return (.insert(isCollection: isCollection[0]), rest)
      }
    case (2, "at"):
      if let rest = name.relationship(after: "replace"), labels[1] == "with" {
        return (.replace(isCollection: isCollection[1]), rest)
      }
    default: break
    }
    return nil
  }

  /// Returns the statement that makes the change, by the base class's interface for generated code.
  func statement(relationship: String, arguments: [String]) -> String {
    let key = SourceText.literal(relationship)
    return switch self {
    case .add(let isCollection):
      "_add(\(isCollection ? "contentsOf: " : "")\(arguments[0]), to: \(key))"
    case .remove(let isCollection):
      "_remove(\(isCollection ? "contentsOf: " : "")\(arguments[0]), from: \(key))"
    case .insert(let isCollection):
      "_insert(\(isCollection ? "contentsOf: " : "")\(arguments[0]), into: \(key), at: \(arguments[1]))"
    case .removeAt: "_remove(at: \(arguments[0]), from: \(key))"
    case .replace(let isCollection):
      "_replace(at: \(arguments[0]), \(isCollection ? "withContentsOf" : "with"): \(arguments[1]), in: \(key))"
    }
  }
}

extension String {
  /// The capitalized name after a prefix; nil if a lowercase letter follows, as in
  /// `addTopicsObject` after `addTo`.
  fileprivate func relationship(after prefix: String) -> String? {
    afterPrefix(prefix).flatMap { $0.first?.isLowercase == true ? nil : $0 }
  }
}

extension SwiftType {
  private static let collections: Set<String> = [
    "Array", "NSArray", "NSMutableArray", "NSMutableOrderedSet", "NSMutableSet", "NSOrderedSet",
    "NSSet", "Set",
  ]

  /// Whether the type is a collection of objects.
  var isCollection: Bool {
    guard case .nominal(let nominal, _) = self, nominal.components.count == 1 else { return false }
    return Self.collections.contains(nominal.components[0].name)
  }
}
