import ManagedObjectModel
import PredicateLanguage

/// Generates the expressions of property mappings that Xcode leaves to the compiler.
struct PropertyCompilation {
  /// The reason why an expression cannot be generated, without a full stop.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let mapping: NSEntityMapping
  let source: NSEntityDescription?
  let destination: NSEntityDescription?
  /// The name of the mapping of each source entity.
  let namesBySource: [String: String]

  /// Returns an expression for the mapping's key path, or else for the source attribute of the same
  /// name.
  func attribute(_ name: String, _ values: MappingSourceObject) throws -> PredicateLanguage
    .NSExpression?
  {
    try require(destination?.attributesByName[name], "attribute", name)
    if let keyPath = values["sourcekeypath"] { return MappingExpressions.sourceValue(at: keyPath) }
    guard source?.attributesByName[name] != nil else { return nil }
    return MappingExpressions.sourceValue(name)
  }

  /// Returns an expression for the destination objects of the source relationship.
  func relationship(_ name: String, _ values: MappingSourceObject) throws -> PredicateLanguage
    .NSExpression?
  {
    try require(destination?.relationshipsByName[name], "relationship", name)
    let keyPath = values["sourcekeypath"] ?? name
    let former = source?.relationshipsByName[keyPath]
    if let through = values["sourcemappingname"] {
      return MappingExpressions.destinations(ofKeyPath: keyPath, inMapping: through)
    }
    guard let former else { return nil }
    // Subentities have separate mappings, so no single mapping has all destination objects.
    if former.destinationEntity?.subentities.isEmpty == false {
      return MappingExpressions.destinations(ofRelationship: keyPath)
    }
    guard let through = former.destinationEntity?.name.flatMap({ namesBySource[$0] }) else {
      return nil
    }
    return MappingExpressions.destinations(ofKeyPath: keyPath, inMapping: through)
  }

  private func require(_ property: NSPropertyDescription?, _ kind: String, _ name: String) throws {
    guard property == nil, let destination else { return }
    throw Failure(
      description: "The destination entity \(destination.name ?? "") has no \(kind) \(name)")
  }
}
