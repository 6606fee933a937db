import Cryptography
import Foundation

/// Computes the hashes that match a store with its model.
///
/// They equal those of Apple's framework, as determined from real stores (see
/// Design/0003-version-hashes.md). Integers are 32 bits, little-endian; texts are UTF-8 without
/// length or terminator.
enum VersionHash {
  /// The start of a property's hash input: the SHA-256 of the name, two bytes of flags, and the
  /// modifier.
  ///
  /// Only the hash of a derived attribute does not use it.
  static func base(of property: NSPropertyDescription) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(property.name)
    digest.update([(property.isOptional ? 1 : 0) | (property.isTransient ? 2 : 0), 0])
    digest.update(property.versionHashModifier ?? "")
    return digest.finish()
  }

  /// The hash of an attribute.
  static func hash(of attribute: NSAttributeDescription) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(base(of: attribute))
    digest.update(bytes(of: attribute.attributeType.rawValue))
    if attribute.allowsExternalBinaryDataStorage { digest.update([1]) }
    if attribute.preservesValueInHistoryOnDeletion { digest.update([1]) }
    return digest.finish()
  }

  /// The hash of a derived attribute, which covers only its derivation.
  ///
  /// It does not cover the attribute's name or type. How Apple's framework hashes a filtering
  /// predicate or a modifier is not known. Here they are appended, and the hash is uncertain.
  static func hash(of derived: NSDerivedAttributeDescription) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(derived.derivationExpression?.derivationText ?? "")
    digest.update(derived.filteringPredicate?.description ?? "")
    digest.update(derived.versionHashModifier ?? "")
    return digest.finish()
  }

  /// The hash of a relationship.
  static func hash(of relationship: NSRelationshipDescription) -> [UInt8] {
    var digest = Digest(.sha256)
    digest.update(base(of: relationship))
    digest.update(relationship.destinationEntity?.name ?? "")
    digest.update(relationship.inverseRelationship?.name ?? "")
    digest.update(bytes(of: UInt(bitPattern: relationship.maxCount)))
    digest.update(bytes(of: UInt(bitPattern: relationship.minCount)))
    if relationship.isOrdered { digest.update([1, 0]) }
    return digest.finish()
  }

  /// The hash of an entity, which includes the hashes of its ancestors and of its stored
  /// properties.
  static func hash(of entity: NSEntityDescription) -> [UInt8] {
    var inherited: [UInt8] = []
    for ancestor in entity.lineage.reversed() {
      inherited = hash(of: ancestor, extending: inherited)
    }
    return inherited
  }

  private static func hash(of entity: NSEntityDescription, extending superentityHash: [UInt8])
    -> [UInt8]
  {
    var digest = Digest(.sha256)
    digest.update(entity.name ?? "")
    digest.update([entity.isAbstract ? 1 : 0])
    digest.update(superentityHash)
    for property in hashedProperties(of: entity) { digest.update(property.versionHash) }
    for constraint in hashedConstraints(of: entity) { digest.update(constraint) }
    digest.update(entity.versionHashModifier ?? "")
    return digest.finish()
  }

  /// The stored attributes and relationships, in the order of the UTF-8 bytes of their names.
  static func hashedProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
    entity.propertiesByName.values
      .filter {
        !$0.isTransient && ($0 is NSAttributeDescription || $0 is NSRelationshipDescription)
      }
      .sorted { utf8Precedes($0.name, $1.name) }
  }

  private static func hashedConstraints(of entity: NSEntityDescription) -> [String] {
    entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }.sorted(by: utf8Precedes)
  }

  /// The order of texts by their UTF-8 bytes, which does not depend on a locale.
  static func utf8Precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private static func bytes(of number: UInt) -> [UInt8] {
    let low = UInt32(truncatingIfNeeded: number)
    return (0..<4).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
  }
}
