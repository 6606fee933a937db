/// The types and type aliases that a target declares, by their path of names.
struct DeclaredNames: Sendable {
  struct Alias: Sendable {
    var scope: [String]
    var text: [SourceToken]
  }

  private(set) var kinds: [[String]: NominalType.Kind] = [:]
  private(set) var aliases: [[String]: Alias] = [:]
  /// Types of other modules, from `// modelc:` comments.
  private(set) var foreign: [String: NominalType] = [:]
  /// Types that are visible only in their file, so that no generated file can extend them.
  private(set) var fileScoped: Set<[String]> = []
  /// The paths of the classes, by their names in `@objc(Name)`.
  private(set) var objectiveCNames: [String: [String]] = [:]
  private var conditionsOfTypes: [[String]: [String]] = [:]

  mutating func declare(
    _ kind: NominalType.Kind, at path: [String], access: AccessLevel = .internal,
    conditions: [String] = []
  ) {
    if access.isFileScoped { fileScoped.insert(path) }
    guard kinds[path] == nil else { return conditionsOfTypes[path] = nil }
    kinds[path] = kind
    if !conditions.isEmpty { conditionsOfTypes[path] = conditions }
  }

  /// Returns the `#if` conditions of a type.
  ///
  /// A type that is declared in several branches counts as unconditional.
  func conditions(of path: [String]) -> [String] { conditionsOfTypes[path] ?? [] }

  /// Whether the path names a class that other files can refer to.
  func isClass(_ path: [String]) -> Bool { kinds[path] == .class && !fileScoped.contains(path) }

  mutating func declareAlias(at path: [String], text: [SourceToken]) {
    aliases[path] = aliases[path] ?? Alias(scope: path.dropLast(), text: text)
  }

  mutating func declareObjectiveCName(_ name: String, of path: [String]) {
    objectiveCNames[name] = objectiveCNames[name] ?? path
  }

  mutating func declareForeign(_ type: NominalType) {
    foreign[type.components.map(\.name).joined(separator: ".")] = type
  }

  mutating func merge(_ other: DeclaredNames) {
    conditionsOfTypes.merge(other.conditionsOfTypes) { first, _ in first }
    for path in other.kinds.keys where kinds[path] != nil { conditionsOfTypes[path] = nil }
    kinds.merge(other.kinds) { first, _ in first }
    aliases.merge(other.aliases) { first, _ in first }
    foreign.merge(other.foreign) { first, _ in first }
    objectiveCNames.merge(other.objectiveCNames) { first, _ in first }
    fileScoped.formUnion(other.fileScoped)
  }

  /// Returns the target's type at a path, with the kind of each component; nil if one is unknown.
  func nominal(at path: [String], in module: String) -> NominalType? {
    var components: [NominalType.Component] = []
    for end in path.indices {
      guard let kind = kinds[Array(path[...end])] else { return nil }
      components.append(.init(name: path[end], kind: kind))
    }
    return components.isEmpty ? nil : NominalType(module: module, components: components)
  }
}
