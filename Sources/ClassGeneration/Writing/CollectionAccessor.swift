/// One of the methods that change a to-many relationship.
struct CollectionAccessor: Sendable {
  /// The kind of an argument, whose Swift type may depend on the class of the elements.
  private enum Argument: Sendable {
    case object, set, array, index, indexes

    func type(element: String, isOrdered: Bool) -> String {
      switch self {
      case .object: element
      case .set: isOrdered ? "NSOrderedSet" : "NSSet"
      case .array: "[\(element)]"
      case .index: "Int"
      case .indexes: "NSIndexSet"
      }
    }
  }

  private let prefix: String
  private let parameters: [(label: String, name: String, argument: Argument)]
  private let mutation: CollectionMutation
  private let isOrdered: Bool

  /// Returns the methods in Xcode's order.
  static func all(isOrdered: Bool) -> [CollectionAccessor] {
    (isOrdered ? positional : []) + common(isOrdered: isOrdered)
  }

  private static func common(isOrdered: Bool) -> [CollectionAccessor] {
    [
      CollectionAccessor(
        prefix: "addTo", parameters: [("_", "value", .object)], mutation: .add(isCollection: false),
        isOrdered: isOrdered),
      CollectionAccessor(
        prefix: "removeFrom", parameters: [("_", "value", .object)],
        mutation: .remove(isCollection: false),
        isOrdered: isOrdered),
      CollectionAccessor(
        prefix: "addTo", parameters: [("_", "values", .set)], mutation: .add(isCollection: true),
        isOrdered: isOrdered),
      CollectionAccessor(
        prefix: "removeFrom", parameters: [("_", "values", .set)],
        mutation: .remove(isCollection: true),
        isOrdered: isOrdered),
    ]
  }

  private static let positional: [CollectionAccessor] = [
    CollectionAccessor(
      prefix: "insertInto", parameters: [("_", "value", .object), ("at", "idx", .index)],
      mutation: .insert(isCollection: false), isOrdered: true),
    CollectionAccessor(
      prefix: "removeFrom", parameters: [("at", "idx", .index)], mutation: .removeAt,
      isOrdered: true),
    CollectionAccessor(
      prefix: "insertInto", parameters: [("_", "values", .array), ("at", "indexes", .indexes)],
      mutation: .insert(isCollection: true), isOrdered: true),
    CollectionAccessor(
      prefix: "removeFrom", parameters: [("at", "indexes", .indexes)], mutation: .removeAt,
      isOrdered: true),
    CollectionAccessor(
      prefix: "replace", parameters: [("at", "idx", .index), ("with", "value", .object)],
      mutation: .replace(isCollection: false), isOrdered: true),
    CollectionAccessor(
      prefix: "replace", parameters: [("at", "indexes", .indexes), ("with", "values", .array)],
      mutation: .replace(isCollection: true), isOrdered: true),
  ]

  /// Returns the method's declaration for a property, in one line.
  func declaration(property: String, element: String) -> String {
    let list = parameters.map { label, name, argument in
      "\(label) \(name): \(argument.type(element: element, isOrdered: isOrdered))"
    }
    let statement = mutation.statement(relationship: property, arguments: parameters.map(\.name))
    return
      "public func \(prefix)\(property.capitalizingFirst)(\(list.joined(separator: ", "))) { \(statement) }"
  }
}
