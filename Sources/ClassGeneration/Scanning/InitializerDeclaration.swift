/// An initializer in the body of a class.
struct InitializerDeclaration: Sendable {
  var file: String
  var line: Int
  /// The names of the enclosing types, outermost first.
  var owner: [String]
  /// The argument labels; `_` where an argument has none.
  var labels: [String]
  /// `convenience`, `override`, `required` and the like.
  var modifiers: Set<String>

  var isDesignated: Bool { !modifiers.contains("convenience") }
}
