/// A class, structure, enumeration, actor, protocol or extension, and where its parts stand in the
/// tokens of its file.
struct TypeDeclaration: Sendable {
  /// `class`, `extension` and so on.
  let keyword: String
  /// The full name, with the types around it: `Outer.Inner`.
  let name: String
  /// What the declaration inherits from and conforms to, as it is written, without generic
  /// arguments.
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
