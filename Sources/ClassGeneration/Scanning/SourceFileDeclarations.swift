/// The declarations of one Swift source file that the generator needs.
struct SourceFileDeclarations: Sendable {
  var file: String
  var names = DeclaredNames()
  var managed: [ManagedDeclaration] = []
  /// The superclass of each class, as written; it may be a protocol.
  var superclasses: [[String]: [String]] = [:]
  /// The initializers in the bodies of classes.
  var initializers: [InitializerDeclaration] = []
  /// The modules that the file imports, as written after `import`.
  var imports: [String] = []
  var issues: [GenerationIssue] = []
}
