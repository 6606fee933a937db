package import CloudRecords
package import ManagedObjectModel

// Sendable: the description is immutable, since its model is in use.
/// An attribute, or an element of a composite one, as records hold it.
package struct MirrorAttribute: Sendable {
  /// The name of the entity's property, which change masks use.
  package let property: String
  /// The names of the elements that lead to the value in a composite attribute; otherwise empty.
  package let elements: [String]
  /// The key of the value in `ObjectContent`: property and elements, separated by dots.
  package let key: String
  /// The type of the value.
  package let type: NSAttributeType
  /// The field that holds the value.
  package let field: String
  /// The field that holds a long value as an asset; nil for types whose values are short.
  package let assetField: String?
  /// The field for values that `field` cannot hold exactly (`exactText`); nil if it can hold all.
  package let exactField: String?
  /// The field in programs that do not know a renaming.
  ///
  /// It is read if `field` is empty, and cleared when `field` is written.
  let alias: String?
  /// Whether the value is sealed before it leaves the device.
  package let isEncrypted: Bool
  /// Whether a store may keep the value in a separate file.
  let isExternal: Bool
  /// The substitute for a required value that a record lacks; null if none is required.
  package let substitute: MirrorValue
  /// The attribute, whose transformer converts values to bytes.
  package let description: NSAttributeDescription

  /// The alias of the field for long values.
  var assetAlias: String? { assetField == nil ? nil : alias.map(MirrorNames.asset) }

  /// The alias of the field for exact values.
  var exactAlias: String? {
    exactField == nil ? nil : alias.map { MirrorNames.exact(MirrorNames.property($0)) }
  }
}

/// A to-one relationship, for which a record has the name of its target's record.
package struct MirrorReference: Hashable, Sendable {
  /// The name of the relationship.
  package let property: String
  /// The name of the target's entity, or of an ancestor of it.
  package let destination: String
  /// The name of the inverse relationship.
  package let inverse: String
  /// Whether the inverse is to-one too, and the target's record names this object in turn.
  package let isOneToOne: Bool
  /// Whether an import uses the reference.
  ///
  /// One side of a one-to-one relationship decides, the same on all devices. If the relationship is
  /// its own inverse, either side may: the record names decide (`decides(_:over:)`).
  package let decides: Bool
  /// Whether the relationship is its own inverse, and so has only one side.
  package let isItsOwnInverse: Bool
  /// The field that holds the name of the target's record.
  package let field: String
  /// The field in programs that do not know a renaming.
  let alias: String?

  /// Whether a record's reference to another one decides.
  ///
  /// If the relationship is its own inverse, the record with the smaller name decides.
  package func decides(_ record: RecordIdentifier, over other: RecordIdentifier) -> Bool {
    isItsOwnInverse ? record <= other : decides
  }
}

/// An ordered to-many relationship, whose order a record has in a field of ours.
package struct MirrorOrder: Hashable, Sendable {
  /// The name of the relationship.
  package let property: String
  /// The field that holds the names of the members' records, one on each line.
  package let field: String

  /// The field that holds a long order as an asset.
  package var assetField: String { MirrorNames.asset(field) }
}
