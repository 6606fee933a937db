import ManagedObjectModel
package import ObjectRows

/// The set of updated properties of an entity, as the bits of a history row.
///
/// The highest bit of the first byte comes first. Relationships precede attributes, each sorted by
/// name. A to-one relationship with a column for its destination's entity has two bits.
package struct HistoryBitmap {
  /// The ordinals of the bits.
  private let ordinals: [Int]

  package init(_ schema: EntitySchema) {
    let properties = schema.layout.properties
    let stored = properties.indices.filter { schema.columns[$0] != nil || schema.toMany[$0] != nil }
      .sorted { properties[$0].name.utf8.lexicographicallyPrecedes(properties[$1].name.utf8) }
    let relationships = stored.filter { properties[$0] is NSRelationshipDescription }
    let attributes = stored.filter { !(properties[$0] is NSRelationshipDescription) }
    ordinals =
      relationships.flatMap { ordinal in
        schema.columns[ordinal]?.entityColumn == nil ? [ordinal] : [ordinal, ordinal]
      } + attributes
  }

  /// The bytes for a set of properties.
  package func bytes(for changed: OrdinalSet) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (ordinals.count + 7) / 8)
    for (bit, ordinal) in ordinals.enumerated() where changed.contains(ordinal) {
      bytes[bit / 8] |= 0x80 >> (bit % 8)
    }
    return bytes
  }

  /// The properties that bytes name; bits without a meaning are ignored.
  package func ordinals(in bytes: [UInt8]) -> OrdinalSet {
    var changed = OrdinalSet()
    for (bit, ordinal) in ordinals.enumerated() where bit / 8 < bytes.count {
      if bytes[bit / 8] & 0x80 >> (bit % 8) != 0 { changed.insert(ordinal) }
    }
    return changed
  }
}
