/// One `@NSManaged` property or method, as the source text has it.
struct ManagedDeclaration: Sendable {
  enum Member: Sendable {
    case property(type: [SourceToken])
    case method(parameters: [Parameter], result: [SourceToken])
  }

  struct Parameter: Sendable {
    /// The label at the call, nil for `_`.
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
  /// The `#if` conditions that hold where it stands and that only the compiler can decide.
  var conditions: [String]
}
