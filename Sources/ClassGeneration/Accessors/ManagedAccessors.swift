/// Writes the accessors that `@NSManaged` members in hand-written classes lack on platforms without
/// Objective-C.
///
/// The compiler accepts `@NSManaged` there and calls accessors that do not exist. The generated
/// functions define them under the linker names that the compiler calls. They are `dynamic`,
/// because callers expect replaceable members, and at least `internal`, so that the linker finds
/// them in another file.
package struct ManagedAccessors: Sendable {
  /// One generated function.
  private struct Accessor: Sendable {
    var symbol: String
    var text: String
  }

  /// The accessors of one declaration, with the conditions around them.
  private struct Member: Sendable {
    var declaration: ManagedDeclaration
    var accessors: [Accessor]
  }

  private let module: String
  private let files: [SourceFileDeclarations]
  private let keys: ManagedKeys
  private let resolver: TypeResolver
  private var members: [Member] = []

  /// Every type that the module declares.
  var names: DeclaredNames { resolver.names }

  /// Errors and warnings, by file; within a file, those of the scanner come first.
  package private(set) var issues: [GenerationIssue] = []

  /// The linker names that the accessors define.
  package var symbols: [String] { members.flatMap { $0.accessors.map(\.symbol) } }

  /// Finds the managed members in the sources of a module without a model.
  package init(module: String, sources: [SourceFile]) {
    let files = sources.map { DeclarationScanner.scan(source: $0.text, file: $0.path) }
    self.init(module: module, files: files, generated: DeclaredNames(), keys: ManagedKeys())
  }

  /// Creates the accessors for the members that a module's files declare.
  ///
  /// - Parameter generated: The classes that are generated for the same module, which members may
  ///   mention.
  init(module: String, files: [SourceFileDeclarations], generated: DeclaredNames, keys: ManagedKeys)
  {
    self.module = module
    self.files = files
    self.keys = keys
    var names = DeclaredNames()
    for file in files { names.merge(file.names) }
    names.merge(generated)
    resolver = TypeResolver(module: module, names: names)
    for file in files {
      issues += file.issues
      for declaration in file.managed { add(declaration) }
    }
  }

  private mutating func add(_ declaration: ManagedDeclaration) {
    do {
      members.append(Member(declaration: declaration, accessors: try accessors(of: declaration)))
    } catch {
      issues.append(error)
    }
  }

  /// The modules that the scanned files with managed members import, sorted, each once.
  var imports: [String] {
    Set(files.filter { !$0.managed.isEmpty }.flatMap(\.imports)).sorted()
  }

  /// Appends the accessors of every managed member, in the order of files and lines.
  func append(to text: inout SourceText) {
    for member in members {
      let owner = member.declaration.owner.map(SwiftName.escaped).joined(separator: ".")
      text.line()
      text.compiled(if: member.declaration.conditions) { text in
        text.block("nonisolated extension \(owner)") { text in
          for accessor in member.accessors { text.line(accessor.text) }
        }
      }
    }
  }

  private mutating func accessors(of declaration: ManagedDeclaration) throws(GenerationIssue)
    -> [Accessor]
  {
    guard let owner = resolver.names.nominal(at: declaration.owner, in: module),
      owner.kind == .class
    else {
      throw issue(
        declaration,
        "\(declaration.owner.joined(separator: ".")) is not a class of this target, so @NSManaged \(declaration.name) cannot have generated accessors. Declare the property in the target that declares the class."
      )
    }
    guard !resolver.names.fileScoped.contains(declaration.owner) else {
      throw issue(
        declaration,
        "\(owner.path) is private to its file, so @NSManaged \(declaration.name) cannot have generated accessors. Make the class internal."
      )
    }
    switch declaration.member {
    case .property(let type):
      return try property(declaration, of: owner, type: resolve(type, for: declaration))
    case .method(let parameters, let result):
      return try method(declaration, of: owner, parameters: parameters, result: result)
    }
  }

  private func issue(_ declaration: ManagedDeclaration, _ message: String) -> GenerationIssue {
    GenerationIssue(file: declaration.file, line: declaration.line, message)
  }

  private func resolve(
    _ type: [SourceToken], for declaration: ManagedDeclaration
  ) throws(GenerationIssue) -> SwiftType {
    do {
      return try resolver.resolve(type, in: declaration.owner)
    } catch {
      throw issue(declaration, message(for: error, of: declaration))
    }
  }

  private func message(for failure: TypeResolver.Failure, of declaration: ManagedDeclaration)
    -> String
  {
    switch failure {
    case .unknown(let name):
      "@NSManaged \(declaration.name): the type \(name) is declared neither in this target nor in Foundation. Name its module in a comment of any file of the target: // modelc: class TheModule.\(name)"
    case .unsupported(let text):
      "@NSManaged \(declaration.name): the type \(text) cannot be the type of a managed member."
    }
  }

  private func discriminator(for declaration: ManagedDeclaration) -> String? {
    declaration.access.isFileScoped
      ? FileDiscriminator.of(file: declaration.file, module: module) : nil
  }

  private func accessor(_ symbol: String, _ access: AccessLevel, _ signatureAndBody: String)
    -> Accessor
  {
    // An open member is called like a public one, and an extension cannot have open members.
    let access = access == .open ? .public : max(access, .internal)
    return Accessor(
      symbol: symbol,
      text: "@_silgen_name(\"\(symbol)\") dynamic \(access.rawValue) func \(signatureAndBody)")
  }
}

// MARK: - Members

extension ManagedAccessors {
  private mutating func property(
    _ declaration: ManagedDeclaration, of owner: NominalType, type: SwiftType
  ) -> [Accessor] {
    let name = declaration.name
    let (suffix, key) = storage(of: declaration, in: owner)
    let discriminator = discriminator(for: declaration)
    let symbol = { (accessor: SymbolMangler.Accessor) in
      SymbolMangler.accessor(
        accessor, of: name, type: type, in: owner, discriminator: discriminator)
    }
    return [
      accessor(
        symbol(.getter), declaration.access,
        "_managed_get_\(name)() -> \(type.text) { _get\(suffix)(\(key)) }"),
      accessor(
        symbol(.setter), declaration.setterAccess,
        "_managed_set_\(name)(_ value: __owned \(type.text)) { _set\(suffix)(\(key), value) }"),
    ]
  }

  private mutating func storage(of declaration: ManagedDeclaration, in owner: NominalType) -> (
    String, String
  ) {
    let className = owner.components.map(\.name).joined(separator: ".")
    switch keys.key(of: declaration.name, inClass: className) {
    case .property(let key):
      return ("", SourceText.accessKey(key, ordinal: keys.ordinalsByClass[className]?[key]))
    case .primitive(let key): return ("Primitive", SourceText.literal(key))
    case .unknown:
      issues.append(
        GenerationIssue(
          .warning, file: declaration.file, line: declaration.line,
          "The entity of \(className) has no property \(declaration.name) in the model: reading it stops the program."
        ))
      return ("", SourceText.literal(declaration.name))
    }
  }

  private func method(
    _ declaration: ManagedDeclaration, of owner: NominalType,
    parameters: [ManagedDeclaration.Parameter],
    result: [SourceToken]
  ) throws(GenerationIssue) -> [Accessor] {
    var types: [SwiftType] = []
    for parameter in parameters { types.append(try resolve(parameter.type, for: declaration)) }
    let parsed = CollectionMutation.parse(
      name: declaration.name, labels: parameters.map(\.label), types: types)
    let className = owner.components.map(\.name).joined(separator: ".")
    guard result.isEmpty, let parsed,
      let relationship = keys.relationship(capitalized: parsed.relationship, inClass: className)
    else {
      throw issue(
        declaration,
        "@NSManaged func \(declaration.name) is not an accessor that Core Data provides, such as addTo…(_:), removeFrom…(_:), insertInto…(_:at:), removeFrom…(at:) or replace…(at:with:) with the name of a to-many relationship of \(className)."
      )
    }
    let symbol = SymbolMangler.method(
      declaration.name,
      parameters: zip(parameters, types).map { SymbolMangler.Parameter(label: $0.label, type: $1) },
      result: nil,
      in: owner, discriminator: discriminator(for: declaration))
    let arguments = types.indices.map { "value\($0)" }
    let list = zip(arguments, types).map { "_ \($0): \($1.text)" }.joined(separator: ", ")
    let statement = parsed.mutation.statement(relationship: relationship, arguments: arguments)
    return [
      accessor(symbol, declaration.access, "_managed_\(declaration.name)(\(list)) { \(statement) }")
    ]
  }
}
