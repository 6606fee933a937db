/// An `@NSManaged` property or method in the source text.
struct ManagedDeclaration: Sendable {
  enum Member: Sendable {
    case property(type: [SourceToken])
    case method(parameters: [Parameter], result: [SourceToken])
  }

  struct Parameter: Sendable {
    /// The argument label; nil for `_`.
    var label: String?
    var type: [SourceToken]
  }

  var file: String
  var line: Int
  /// The names of the enclosing types, outermost first.
  var owner: [String]
  var name: String
  var member: Member
  var access: AccessLevel
  var setterAccess: AccessLevel
  /// The surrounding `#if` conditions that only the compiler can evaluate.
  var conditions: [String]
}
