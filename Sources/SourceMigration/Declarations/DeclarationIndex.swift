/// What all the given files declare together.
struct DeclarationIndex: Sendable {
  /// One type in one of the files.
  struct Place: Sendable {
    let file: Int
    let type: TypeDeclaration
  }

  let files: [SourceDeclarations]
  private let declared: [String: [Place]]
  private let extended: [String: [Place]]
  private let typeNames: Set<String>
  private let propertyNames: Set<String>
  /// Properties that have another name in Objective-C than in Swift.
  private let renamedProperties: Set<String>

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
    propertyNames = properties
    renamedProperties = renamed
  }

  /// The classes declared under a full name.
  func classes(named name: String) -> [Place] {
    (declared[name] ?? []).filter { $0.type.keyword == "class" }
  }

  /// The type's own braces and those of its extensions.
  func bodies(of name: String) -> [Place] { (declared[name] ?? []) + (extended[name] ?? []) }

  func declaresType(_ name: String) -> Bool { typeNames.contains(name) }

  func declaresProperty(_ name: String) -> Bool { propertyNames.contains(name) }

  func isRenamedForObjectiveC(_ property: String) -> Bool { renamedProperties.contains(property) }
}
