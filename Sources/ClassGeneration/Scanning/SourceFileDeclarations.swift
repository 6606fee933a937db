/// What the generator needs to know of one Swift source file.
struct SourceFileDeclarations: Sendable {
  var file: String
  var names = DeclaredNames()
  var managed: [ManagedDeclaration] = []
  /// The modules the file imports, as written after `import`.
  var imports: [String] = []
  var problems: [GenerationProblem] = []
}
