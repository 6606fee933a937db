/// An initializer in the body of a class.
struct InitializerDeclaration: Sendable {
  var file: String
  var line: Int
  /// The names of the enclosing types, outermost first.
  var owner: [String]
  /// The argument labels; `_` for an argument without one.
  var labels: [String]
  /// The modifiers, such as `convenience`, `override` and `required`.
  var modifiers: Set<String>

  var isDesignated: Bool { !modifiers.contains("convenience") }
}
