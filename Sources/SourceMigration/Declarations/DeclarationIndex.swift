/// The declarations of all files.
struct DeclarationIndex: Sendable {
  /// A type declaration in one of the files.
  struct Place: Sendable {
    let file: Int
    let type: TypeDeclaration
  }

  let files: [SourceDeclarations]
  private let declared: [String: [Place]]
  private let extended: [String: [Place]]
  private let typeNames: Set<String>
  private let sharedAliases: Set<String>
  private let propertyNames: Set<String>
  /// Properties whose Objective-C name differs from the Swift name.
  private let renamedProperties: Set<String>
  /// The classes that inherit from `NSManagedObject`, directly or through other classes in the
  /// files.
  let managedClasses: Set<String>

  init(_ files: [SourceDeclarations]) {
    self.files = files
    var declared: [String: [Place]] = [:]
    var extended: [String: [Place]] = [:]
    var typeNames: Set<String> = []
    var properties: Set<String> = []
    var renamed: Set<String> = []
    for (number, file) in files.enumerated() {
      for type in file.types {
        let place = Place(file: number, type: type)
        typeNames.formUnion(type.name.split(separator: ".").map(String.init))
        if type.keyword == "extension" {
          extended[type.name, default: []].append(place)
        } else {
          declared[type.name, default: []].append(place)
        }
        for member in file.members(of: type)
        where member.keyword == "var" || member.keyword == "let" {
          properties.insert(member.name)
          let prefix = member.prefix.elementsWithConditional(
            before: member.introducer, in: file.source)
          if prefix.contains(where: { $0.name == "@objc" && $0.hasArguments }) {
            renamed.insert(member.name)
          }
        }
      }
    }
    self.declared = declared
    self.extended = extended
    self.typeNames = typeNames
    sharedAliases = Set(files.flatMap(\.aliases).filter(\.isShared).map(\.name))
    propertyNames = properties
    renamedProperties = renamed
    managedClasses = Self.managedClasses(among: declared)
  }

  private static func managedClasses(among declared: [String: [Place]]) -> Set<String> {
    var subclasses: [String: [String]] = [:]
    for (name, places) in declared {
      for place in places where place.type.keyword == "class" {
        for inherited in place.type.inherits {
          subclasses[fullName(inherited, in: name, among: declared), default: []].append(name)
        }
      }
    }
    var found: Set<String> = []
    var next = ["NSManagedObject", "CoreData.NSManagedObject"]
    while let name = next.popLast() {
      next += (subclasses[name] ?? []).filter { found.insert($0).inserted }
    }
    return found
  }

  /// The full name of a type that a declaration mentions.
  ///
  /// The innermost enclosing type that declares the name decides; otherwise the name is as written.
  private static func fullName(
    _ name: String, in declaration: String, among declared: [String: [Place]]
  ) -> String {
    var scope = declaration.split(separator: ".").dropLast()
    while !scope.isEmpty {
      let candidate = scope.joined(separator: ".") + "." + name
      if declared[candidate] != nil { return candidate }
      scope.removeLast()
    }
    return name
  }

  /// The classes with a full name.
  func classes(named name: String) -> [Place] {
    (declared[name] ?? []).filter { $0.type.keyword == "class" }
  }

  /// The bodies of the type and of its extensions.
  func bodies(of name: String) -> [Place] { (declared[name] ?? []) + (extended[name] ?? []) }

  func declaresType(_ name: String) -> Bool { typeNames.contains(name) }

  /// Whether a `typealias` declares the name for all files.
  func declaresAlias(_ name: String) -> Bool { sharedAliases.contains(name) }

  func declaresProperty(_ name: String) -> Bool { propertyNames.contains(name) }

  func isRenamedForObjectiveC(_ property: String) -> Bool { renamedProperties.contains(property) }
}
