/// Converts the text of a type to a `SwiftType`.
///
/// Names are looked up in the target, in the standard modules, and in the programmer's `// modelc:`
/// comments.
struct TypeResolver: Sendable {
  let module: String
  let names: DeclaredNames

  /// The reason that a type's text could not be resolved.
  enum Failure: Error, Equatable {
    case unknown(name: String)
    case unsupported(text: String)
  }

  /// The limit of nested types and of successive aliases, which also ends cycles of aliases.
  private static let depthLimit = 32

  func resolve(_ tokens: [SourceToken], in scope: [String]) throws(Failure) -> SwiftType {
    try resolve(tokens, in: scope, depth: 0)
  }

  private func resolve(_ tokens: [SourceToken], in scope: [String], depth: Int) throws(Failure)
    -> SwiftType
  {
    var parser = Parser(resolver: self, tokens: tokens[...], scope: scope, depth: depth)
    let type = try parser.type()
    guard parser.tokens.isEmpty else { throw parser.unsupported }
    return type
  }

  /// Resolves a path of names in a scope, innermost declarations first.
  fileprivate func lookUp(_ path: [String], in scope: [String], depth: Int) throws(Failure) -> Found
  {
    for length in stride(from: scope.count, through: 0, by: -1) {
      let full = Array(scope.prefix(length)) + path
      if let nominal = names.nominal(at: full, in: module) { return .nominal(nominal) }
      if let alias = names.aliases[full], depth < Self.depthLimit {
        return .type(try resolve(alias.text, in: alias.scope, depth: depth + 1))
      }
    }
    if path.count > 1, isModule(path[0]) {
      return try lookUp(Array(path.dropFirst()), in: [], depth: depth)
    }
    let name = path.joined(separator: ".")
    if let foreign = names.foreign[name] { return .nominal(foreign) }
    let standardName = StandardTypes.aliases[name] ?? name
    if let standard = StandardTypes.type(named: standardName) { return .nominal(standard) }
    throw .unknown(name: name)
  }

  private func isModule(_ name: String) -> Bool {
    [module, "Swift", "Foundation", "FoundationEssentials", "CoreData"].contains(name)
      || names.foreign.values.contains { $0.module == name }
  }

  fileprivate enum Found {
    case nominal(NominalType)
    case type(SwiftType)
  }
}

// MARK: - Parsing

extension TypeResolver {
  /// Parses the types that a managed member can have.
  fileprivate struct Parser {
    let resolver: TypeResolver
    var tokens: ArraySlice<SourceToken>
    let scope: [String]
    let depth: Int
    private let text: String

    init(resolver: TypeResolver, tokens: ArraySlice<SourceToken>, scope: [String], depth: Int) {
      self.resolver = resolver
      self.tokens = tokens
      self.scope = scope
      self.depth = depth
      text = tokens.map(\.text).joined()
    }

    var unsupported: Failure { .unsupported(text: text) }

    mutating func type(nesting: Int = 0) throws(Failure) -> SwiftType {
      guard nesting < TypeResolver.depthLimit else { throw unsupported }
      skipSpecifiers()
      var type = try primary(nesting: nesting)
      while take("?") || take("!") { type = .optional(type) }
      return type
    }

    private mutating func skipSpecifiers() {
      while let first = tokens.first {
        if first.isPunctuation("@") {
          tokens = tokens.dropFirst(2)
        } else if first.kind == .word,
          ["any", "some", "__owned", "borrowing", "consuming"].contains(first.text)
        {
          tokens = tokens.dropFirst()
        } else {
          return
        }
      }
    }

    private mutating func take(_ character: String) -> Bool {
      guard tokens.first?.isPunctuation(character) == true else { return false }
      tokens = tokens.dropFirst()
      return true
    }

    private mutating func primary(nesting: Int) throws(Failure) -> SwiftType {
      if take("[") { return try collection(nesting: nesting) }
      if take("(") {
        let inner = try type(nesting: nesting + 1)
        guard take(")") else { throw unsupported }
        return inner
      }
      return try named(nesting: nesting)
    }

    private mutating func collection(nesting: Int) throws(Failure) -> SwiftType {
      var arguments = [try type(nesting: nesting + 1)]
      if take(":") { arguments.append(try type(nesting: nesting + 1)) }
      guard take("]") else { throw unsupported }
      let name = arguments.count == 1 ? "Array" : "Dictionary"
      return .nominal(NominalType(.structure, name, in: "Swift"), arguments: arguments)
    }

    private mutating func named(nesting: Int) throws(Failure) -> SwiftType {
      var path: [String] = []
      repeat {
        guard let name = tokens.first, name.isName else { throw unsupported }
        path.append(name.text)
        tokens = tokens.dropFirst()
      } while take(".")
      var arguments: [SwiftType] = []
      if take("<") {
        repeat { arguments.append(try type(nesting: nesting + 1)) } while take(",")
        guard take(">") else { throw unsupported }
      }
      return try build(path, arguments)
    }

    private func build(_ path: [String], _ arguments: [SwiftType]) throws(Failure) -> SwiftType {
      switch (path.last, arguments.count) {
      case ("Any", 0) where path.count == 1: return .any
      case ("AnyObject", 0): return .anyObject
      case ("Optional", 1): return .optional(arguments[0])
      default:
        switch try resolver.lookUp(path, in: scope, depth: depth) {
        case .nominal(let nominal): return .nominal(nominal, arguments: arguments)
        case .type(let type):
          guard arguments.isEmpty else { throw unsupported }
          return type
        }
      }
    }
  }
}
