package import ManagedObjectModel

extension NSDeleteRule {
  /// The rule with a name in data models.
  package init?(sourceName: String) {
    guard let rule = Self.allCases.first(where: { $0.displayName == sourceName }) else {
      return nil
    }
    self = rule
  }

  /// The valid names, for messages.
  static var sourceNames: String { allCases.map(\.displayName).sorted().joined(separator: ", ") }
}
