public import Foundation
public import PredicateLanguage

/// A description of how objects of a source entity become objects of a destination entity.
open class NSEntityMapping: NSObject {
  /// The name of the mapping, by which expressions refer to it.
  open var name: String!

  /// The kind of mapping.
  open var mappingType = NSEntityMappingType.undefinedEntityMappingType

  /// The name of the source entity; nil for a new entity.
  open var sourceEntityName: String?

  /// The version hash of the source entity, which must match the source model.
  open var sourceEntityVersionHash: Data?

  /// The name of the destination entity; nil for a removed entity.
  open var destinationEntityName: String?

  /// The version hash of the destination entity, which must match the destination model.
  open var destinationEntityVersionHash: Data?

  /// The mappings that give the attributes of destination objects their values.
  open var attributeMappings: [NSPropertyMapping]?

  /// The mappings that give the relationships of destination objects their values.
  open var relationshipMappings: [NSPropertyMapping]?

  /// The expression for the source objects.
  open var sourceExpression: PredicateLanguage.NSExpression?

  /// Custom values of the mapping, which its migration policy can read.
  open var userInfo: [AnyHashable: Any]?

  /// The name of the class of the migration policy; nil for `NSEntityMigrationPolicy`.
  open var entityMigrationPolicyClassName: String?

  /// Creates a mapping without a name, of undefined type.
  public override init() {
    super.init()
  }

  /// A description with the name, type and entities.
  open override var description: String {
    """
    entity mapping \(name ?? "without a name"): \(sourceEntityName ?? "none") to \
    \(destinationEntityName ?? "none"), \(mappingType)
    """
  }

  /// Everything that determines what happens to the objects, as text.
  var contents: String {
    let own = [
      name, "\(mappingType.rawValue)", sourceEntityName, destinationEntityName,
      sourceExpression?.description, entityMigrationPolicyClassName,
    ]
    let properties = [attributeMappings, relationshipMappings].map { mappings in
      mappings?.map { "\($0.name ?? ""): \($0.valueExpression?.description ?? "")" }
        .joined(separator: "; ")
    }
    return (own + properties).map { $0 ?? "" }.joined(separator: " | ")
  }
}
