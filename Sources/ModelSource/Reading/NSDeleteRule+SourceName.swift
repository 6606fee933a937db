package import ManagedObjectModel

extension NSDeleteRule {
  /// The rule that a data model calls by a name.
  package init?(sourceName: String) {
    guard let rule = Self.allCases.first(where: { $0.sourceName == sourceName }) else { return nil }
    self = rule
  }

  /// The name that data models use for the rule.
  package var sourceName: String {
    switch self {
    case .noActionDeleteRule: "No Action"
    case .nullifyDeleteRule: "Nullify"
    case .cascadeDeleteRule: "Cascade"
    case .denyDeleteRule: "Deny"
    }
  }

  /// The names that a data model may use, for messages.
  static var sourceNames: String { allCases.map(\.sourceName).sorted().joined(separator: ", ") }
}
