package import CloudRecords
package import ManagedObjectModel

// Sendable: the description is immutable, since its model is in use.
/// An attribute, or an element of a composite one, as records have it.
package struct MirrorAttribute: Sendable {
  /// The name of the entity's property, which masks of changes name.
  package let property: String
  /// The names of the elements that lead to the value within a composite attribute; empty for any
  /// other.
  package let elements: [String]
  /// The name under which `ObjectContent` has the value: the property's, with the elements' behind
  /// dots.
  package let key: String
  /// The type of the value.
  package let type: NSAttributeType
  /// The field that holds the value.
  package let field: String
  /// The field that holds a long value as an asset; nil for types whose values are short.
  package let assetField: String?
  /// The field of ours that holds what the other one loses of a value (`MirrorValue.exactText`);
  /// nil for types that lose nothing.
  package let exactField: String?
  /// The field that programs write which know nothing of a renaming: it is read where the other one
  /// has nothing, and cleared with it.
  let alias: String?
  /// Whether the value is sealed before it leaves the device.
  package let isEncrypted: Bool
  /// Whether a store may keep the value in a file of its own.
  let isExternal: Bool
  /// What stands for a value that a record lacks, where the model requires one; null where it does
  /// not.
  package let substitute: MirrorValue
  /// The attribute itself, whose transformer makes bytes of values.
  package let description: NSAttributeDescription

  /// The alias of the field for long values.
  var assetAlias: String? { assetField == nil ? nil : alias.map(MirrorNames.asset) }

  /// The alias of the field for exact values.
  var exactAlias: String? {
    exactField == nil ? nil : alias.map { MirrorNames.exact(MirrorNames.property($0)) }
  }
}

/// A to-one relationship, whose target's record name a record has.
package struct MirrorReference: Hashable, Sendable {
  /// The name of the relationship.
  package let property: String
  /// The name of the target's entity, or of the ancestor of its entity.
  package let destination: String
  /// The name of the inverse relationship.
  package let inverse: String
  /// Whether the inverse is to-one too, and the target's record names this object in turn.
  package let isOneToOne: Bool
  /// Whether the reference counts where records come: of the two sides of a one-to-one relationship
  /// one decides, on all devices the same.
  ///
  /// Of a relationship that is its own inverse both may: there names say which one does
  /// (`decides(_:over:)`).
  package let decides: Bool
  /// Whether the relationship is its own inverse, so that it has one side alone.
  package let isItsOwnInverse: Bool
  /// The field that holds the name of the target's record.
  package let field: String
  /// The field that programs write which know nothing of a renaming.
  let alias: String?

  /// Whether the reference counts that a record has to another one: of two records that a
  /// relationship joins which is its own inverse, the one with the smaller name decides.
  package func decides(_ record: RecordIdentifier, over other: RecordIdentifier) -> Bool {
    isItsOwnInverse ? record <= other : decides
  }
}

/// An ordered to-many relationship, whose order a record has in a field of our own.
package struct MirrorOrder: Hashable, Sendable {
  /// The name of the relationship.
  package let property: String
  /// The field that holds the names of the members' records, each on a line of its own.
  package let field: String

  /// The field that holds a long order as an asset.
  package var assetField: String { MirrorNames.asset(field) }
}
