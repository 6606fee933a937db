/// A class, structure, enumeration, actor, protocol or extension, and the positions of its parts in
/// the tokens of its file.
struct TypeDeclaration: Sendable {
  /// The keyword, such as `class` or `extension`.
  let keyword: String
  /// The full name, including the enclosing types: `Outer.Inner`.
  let name: String
  /// The superclass and protocols as written, without generic arguments.
  let inherits: [String]
  let hasRequirements: Bool
  let prefix: DeclarationPrefix
  /// The index of the keyword.
  let introducer: Int
  /// The indices of the braces.
  let body: ClosedRange<Int>

  /// The indices of the tokens between the braces.
  var contents: Range<Int> { (body.lowerBound + 1)..<body.upperBound }
}
