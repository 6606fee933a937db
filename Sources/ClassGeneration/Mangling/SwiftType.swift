/// A Swift type with every name resolved, as the mangler needs it.
indirect enum SwiftType: Hashable, Sendable {
  /// A class, structure, enumeration or protocol, with the arguments of the innermost name if it is
  /// generic.
  case nominal(NominalType, arguments: [SwiftType] = [])
  /// `Wrapped?`
  case optional(SwiftType)
  /// `Any`
  case any
  /// `AnyObject`
  case anyObject

  /// The type as source text, without module names.
  var text: String {
    switch self {
    case .nominal(let nominal, let arguments):
      if nominal.kind == .protocol { return "any \(nominal.path)" }
      guard !arguments.isEmpty else { return nominal.path }
      return "\(nominal.path)<\(arguments.map(\.text).joined(separator: ", "))>"
    case .optional(let wrapped):
      return wrapped.needsParentheses ? "(\(wrapped.text))?" : "\(wrapped.text)?"
    case .any: return "Any"
    case .anyObject: return "AnyObject"
    }
  }

  private var needsParentheses: Bool {
    guard case .nominal(let nominal, _) = self else { return false }
    return nominal.kind == .protocol
  }
}

/// A declared type: its module and its path of names.
struct NominalType: Hashable, Sendable {
  /// The kinds of declarations in mangled names, with their letters.
  enum Kind: String, Sendable {
    case `class` = "C"
    case structure = "V"
    case enumeration = "O"
    case `protocol` = "P"
  }

  /// One name of the path, outermost first.
  struct Component: Hashable, Sendable {
    var name: String
    var kind: Kind
  }

  var module: String
  var components: [Component]

  init(module: String, components: [Component]) {
    self.module = module
    self.components = components
  }

  init(_ kind: Kind, _ name: String, in module: String) {
    self.init(module: module, components: [Component(name: name, kind: kind)])
  }

  /// The names joined by dots, without the module; keywords are escaped.
  var path: String { components.map { SwiftName.escaped($0.name) }.joined(separator: ".") }

  var kind: Kind? { components.last?.kind }

  /// The enclosing type, or nil at the top level.
  var parent: NominalType? {
    components.count > 1 ? NominalType(module: module, components: components.dropLast()) : nil
  }
}
