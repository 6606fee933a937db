import ManagedObjectModel

/// The properties of all entities by name, for fast resolution of references.
struct PropertyTable {
  private var own: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]

  /// Adds an entity's own properties.
  mutating func add(_ entity: NSEntityDescription) {
    own[ObjectIdentifier(entity)] = Dictionary(
      entity.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The property with a name, including inherited ones.
  func property(named name: String, of entity: NSEntityDescription?) -> NSPropertyDescription? {
    var next = entity
    while let entity = next {
      if let property = own[ObjectIdentifier(entity)]?[name] { return property }
      next = entity.superentity
    }
    return nil
  }

  /// The property with a name, or the element of a composite at a path such as `place.latitude`.
  func property(atPath path: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let first = names.first else { return nil }
    var property = property(named: first, of: entity)
    for name in names.dropFirst() {
      property = (property as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
    }
    return property
  }
}
