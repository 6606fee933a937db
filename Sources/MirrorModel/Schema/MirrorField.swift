package import CloudRecords
import ManagedObjectModel

/// A field of a record type.
package struct MirrorField: Hashable, Sendable {
  /// The name of the field.
  package let name: String
  /// The type of its values.
  package let type: FieldType
  /// Whether its values are sealed before they leave the device.
  package let isEncrypted: Bool
  /// The property of the values; nil for fields of mirroring itself, such as the entity's name.
  package let property: String?

  /// The type in the schema language.
  package var typeText: String {
    let name = type == .asset ? "ASSET" : type.name
    return isEncrypted ? "ENCRYPTED \(name)" : name
  }
}

extension MirrorEntity {
  /// Returns the fields of an entity's records.
  package static func fields(
    _ attributes: [MirrorAttribute], _ references: [MirrorReference], _ orders: [MirrorOrder],
    mustBeUnique: Bool
  ) -> [MirrorField] {
    let entity = MirrorField(
      name: MirrorNames.entityName, type: .string, isEncrypted: false, property: nil)
    let standsFor = MirrorField(
      name: MirrorNames.standsFor, type: .string, isEncrypted: false, property: nil)
    return [entity] + (mustBeUnique ? [standsFor] : []) + attributes.flatMap(\.fields)
      + references.map(\.fieldOfType)
      + orders.flatMap(\.fields)
  }
}

extension MirrorAttribute {
  /// The fields that hold the attribute's values, inline and as assets.
  package var fields: [MirrorField] {
    let inline = MirrorField(
      name: field, type: fieldType, isEncrypted: isEncrypted, property: property)
    let exact = exactField.map {
      MirrorField(name: $0, type: .string, isEncrypted: isEncrypted, property: property)
    }
    return [inline] + [exact].compactMap(\.self)
      + (assetField.map {
        [MirrorField(name: $0, type: .asset, isEncrypted: false, property: property)]
      } ?? [])
  }

  /// The type of the field that holds the values inline.
  var fieldType: FieldType {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .booleanAttributeType:
      .int64
    case .doubleAttributeType, .floatAttributeType, .decimalAttributeType: .double
    case .dateAttributeType: .timestamp
    case .binaryDataAttributeType, .transformableAttributeType: .bytes
    default: .string
    }
  }
}

extension MirrorReference {
  fileprivate var fieldOfType: MirrorField {
    MirrorField(name: field, type: .string, isEncrypted: false, property: property)
  }
}

extension MirrorOrder {
  fileprivate var fields: [MirrorField] {
    [
      MirrorField(name: field, type: .string, isEncrypted: false, property: property),
      MirrorField(name: assetField, type: .asset, isEncrypted: false, property: property),
    ]
  }
}
