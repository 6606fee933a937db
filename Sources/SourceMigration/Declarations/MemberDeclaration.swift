/// A function, property, subscript or initializer of a type.
struct MemberDeclaration: Sendable {
  /// The keyword, such as `func` or `var`.
  let keyword: String
  let name: String
  let prefix: DeclarationPrefix
  /// The index of the keyword.
  let introducer: Int

  /// The indices of the parameter list's parentheses, if there is one.
  let parameters: ClosedRange<Int>?
}
