/// Finds managed object classes that lose the initializers that Core Data calls.
///
/// A class that declares a designated initializer inherits the convenience initializers only if it
/// also overrides `init(entity:insertInto:)`. Otherwise the compiler demands that the class declare
/// `init(_materialize:)`, which is not part of Core Data's API.
struct InitializerCheck {
  private let files: [SourceFileDeclarations]
  private let managedClasses: Set<[String]>

  /// Creates a check of a target's initializers.
  ///
  /// - Parameter known: The names of the classes that models generate or use.
  init(files: [SourceFileDeclarations], known: Set<String>) {
    self.files = files
    let superclasses = files.reduce(into: [:]) { all, file in
      all.merge(file.superclasses) { first, _ in first }
    }
    managedClasses = Self.managedClasses(among: superclasses, known: known)
  }

  /// A warning for each class that loses initializers, at its first designated initializer.
  var issues: [GenerationIssue] {
    let initializers = Dictionary(grouping: files.flatMap(\.initializers), by: \.owner)
    return initializers.keys.filter(managedClasses.contains).sorted {
      $0.lexicographicallyPrecedes($1)
    }
    .compactMap { issue(of: $0, with: initializers[$0] ?? []) }
  }

  private func issue(of owner: [String], with initializers: [InitializerDeclaration])
    -> GenerationIssue?
  {
    let hasBase = initializers.contains { $0.labels == ["entity", "insertInto"] }
    guard !hasBase, let own = initializers.first(where: \.isDesignated) else { return nil }
    let name = owner.joined(separator: ".")
    return GenerationIssue(
      .warning, file: own.file, line: own.line,
      "\(name) declares a designated initializer, so it does not inherit those that Core Data calls. Also declare “override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) { super.init(entity: entity, insertInto: context) }” in \(name), or make this one a convenience initializer that calls self.init(context:)."
    )
  }

  /// The classes that inherit from `NSManagedObject`, as far as the sources show.
  private static func managedClasses(
    among superclasses: [[String]: [String]], known: Set<String>
  ) -> Set<[String]> {
    var managed: Set<[String]> = Set(
      superclasses.keys.filter { known.contains($0.joined(separator: ".")) })
    var isGrowing = true
    while isGrowing {
      let more = superclasses.filter { path, superclass in
        guard !managed.contains(path), let name = superclass.last else { return false }
        return name == "NSManagedObject" || known.contains(name)
          || (0..<path.count).contains { managed.contains(path.prefix($0) + superclass) }
      }
      managed.formUnion(more.keys)
      isGrowing = !more.isEmpty
    }
    return managed
  }
}
