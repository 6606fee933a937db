package import ManagedObjectModel

extension NSDeleteRule {
  /// The rule that a data model calls by a name.
  package init?(sourceName: String) {
    guard let rule = Self.allCases.first(where: { $0.displayName == sourceName }) else {
      return nil
    }
    self = rule
  }

  /// The names that a data model may use, for messages.
  static var sourceNames: String { allCases.map(\.displayName).sorted().joined(separator: ", ") }
}
