/// Computes the linker names that the Swift compiler gives to members of classes.
///
/// The rules are those of the stable ABI (`docs/ABI/Mangling.rst` in the compiler's repository). A
/// name is a postfix expression. An identifier or type that occurred before is written as `A` and a
/// letter. A word that occurred inside an earlier identifier is written as a letter after `0`.
///
/// Only the types of managed properties and methods are supported. `ManagedMemberSymbolTests`
/// compares every kind with the symbols of the installed compiler.
struct SymbolMangler {
  /// The accessor of a property.
  enum Accessor: String, Sendable {
    case getter = "g"
    case setter = "s"
  }

  /// A parameter of a method: its argument label, if it has one, and its type.
  struct Parameter: Sendable {
    var label: String?
    var type: SwiftType
  }

  private var output = MangledOutput()
  private var knownTypes: [SwiftType: Int] = [:]

  /// Returns the symbol of a property's getter or setter.
  ///
  /// Private and fileprivate properties need a `discriminator`.
  static func accessor(
    _ accessor: Accessor, of property: String, type: SwiftType, in class: NominalType,
    discriminator: String? = nil
  ) -> String {
    var mangler = SymbolMangler()
    mangler.append(`class`)
    mangler.appendName(property, discriminator: discriminator)
    mangler.append(type)
    mangler.output.append("v\(accessor.rawValue)")
    return mangler.output.symbol
  }

  /// Returns the symbol of a method.
  ///
  /// A nil result is `Void`.
  static func method(
    _ name: String, parameters: [Parameter], result: SwiftType?, in class: NominalType,
    discriminator: String? = nil
  ) -> String {
    var mangler = SymbolMangler()
    mangler.append(`class`)
    mangler.appendName(name, discriminator: discriminator)
    mangler.appendLabels(parameters)
    if let result { mangler.append(result) } else { mangler.output.append("y") }
    mangler.appendParameterTypes(parameters)
    mangler.output.append("F")
    return mangler.output.symbol
  }

  private mutating func appendName(_ name: String, discriminator: String?) {
    output.appendIdentifier(name)
    guard let discriminator else { return }
    output.appendIdentifier(discriminator)
    output.append("LL")
  }

  private mutating func appendLabels(_ parameters: [Parameter]) {
    guard parameters.contains(where: { $0.label != nil }) else { return output.append("y") }
    for parameter in parameters {
      if let label = parameter.label { output.appendIdentifier(label) } else { output.append("_") }
    }
  }

  private mutating func appendParameterTypes(_ parameters: [Parameter]) {
    guard let first = parameters.first else { return output.append("y") }
    append(first.type)
    // A single unlabelled parameter is not a tuple; anything else is.
    guard parameters.count > 1 || first.label != nil else { return }
    output.append("_")
    for parameter in parameters.dropFirst() { append(parameter.type) }
    output.append("t")
  }
}

// MARK: - Types

extension SymbolMangler {
  private mutating func append(_ type: SwiftType) {
    switch type {
    case .any: output.append("yp")
    case .anyObject: output.append("yXl")
    case .optional(let wrapped):
      guard !appendKnown(type) else { return }
      append(wrapped)
      output.append("Sg")
      remember(type)
    case .nominal(let nominal, let arguments):
      append(nominal, arguments: arguments)
    }
  }

  private mutating func append(_ nominal: NominalType, arguments: [SwiftType]) {
    guard nominal.kind != .protocol else { return appendExistential(of: nominal) }
    guard !arguments.isEmpty else { return append(nominal) }
    let type = SwiftType.nominal(nominal, arguments: arguments)
    guard !appendKnown(type) else { return }
    append(nominal)
    // Each enclosing level has its own list of arguments; only the innermost can be generic here.
    output.append("y" + String(repeating: "_", count: nominal.components.count - 1))
    for argument in arguments { append(argument) }
    output.append("G")
    remember(type)
  }

  private mutating func append(_ nominal: NominalType) {
    if let letter = StandardTypes.letter(of: nominal) { return output.appendStandard(letter) }
    guard !appendKnown(.nominal(nominal)) else { return }
    appendContextAndName(of: nominal)
    output.append(nominal.kind?.rawValue ?? "")
    remember(.nominal(nominal))
  }

  private mutating func appendExistential(of nominal: NominalType) {
    appendContextAndName(of: nominal)
    output.append("_p")
  }

  private mutating func appendContextAndName(of nominal: NominalType) {
    if let parent = nominal.parent { append(parent) } else { output.appendModule(nominal.module) }
    output.appendIdentifier(nominal.components.last?.name ?? "")
  }

  private mutating func appendKnown(_ type: SwiftType) -> Bool {
    guard let index = knownTypes[type] else { return false }
    output.appendSubstitution(index)
    return true
  }

  private mutating func remember(_ type: SwiftType) {
    knownTypes[type] = output.takeSubstitutionIndex()
  }
}
