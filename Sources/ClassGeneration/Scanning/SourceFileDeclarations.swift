/// What the generator needs to know of one Swift source file.
struct SourceFileDeclarations: Sendable {
  var file: String
  var names = DeclaredNames()
  var managed: [ManagedDeclaration] = []
  /// The superclass, as written, of each class that names one; a protocol may stand there instead.
  var superclasses: [[String]: [String]] = [:]
  /// The initializers in the bodies of classes.
  var initializers: [InitializerDeclaration] = []
  /// The modules the file imports, as written after `import`.
  var imports: [String] = []
  var problems: [GenerationProblem] = []
}
