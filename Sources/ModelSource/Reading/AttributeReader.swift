import Foundation
import ManagedObjectModel

/// Reads an `<attribute>` into a description.
struct AttributeReader {
  let composites: CompositeTable
  /// The names of the composites that contain the attribute, outermost first.
  var enclosing: [String] = []

  func read(with reader: inout ElementReader, source: inout AttributeSourceInfo)
    -> NSAttributeDescription?
  {
    guard let name = SourceName.read(with: &reader) else { return nil }
    let isDerived = reader.flag("derived") ?? false
    let isTransient = reader.flag("transient") ?? false
    let type = readType(with: &reader, isTransient: isTransient)
    let attribute = makeDescription(of: type, isDerived: isDerived, with: &reader)
    attribute.name = name
    attribute.isOptional = reader.flag("optional") ?? false
    attribute.isTransient = isTransient
    readIdentity(of: attribute, with: &reader)
    readStorage(of: attribute, with: &reader)
    readClass(of: attribute, with: &reader, source: &source)
    attribute.defaultValue = DefaultValue.read(of: type, with: &reader)
    ValidationLimits.read(of: attribute, with: &reader)
    reader.ignore("ephemeral", "syncable")
    reader.finish()
    for child in reader.element.children where child.name != "userInfo" {
      reader.unknownChild(child)
    }
    return attribute
  }

  private func readType(with reader: inout ElementReader, isTransient: Bool) -> NSAttributeType {
    let name = reader.nonEmptyText("attributeType")
    guard let type = NSAttributeType(sourceName: name ?? "Undefined") else {
      reader.error(
        .badValue, "attributeType", "\"\(name ?? "")\" is not a type of attribute.",
        "Write one of \(NSAttributeType.sourceNames).")
      return .undefinedAttributeType
    }
    if type == .undefinedAttributeType, !isTransient {
      reader.error(
        .missingValue, "attributeType", "Only a transient attribute can be without a type.",
        "Choose a type.")
    }
    return type
  }

  private func makeDescription(
    of type: NSAttributeType, isDerived: Bool, with reader: inout ElementReader
  ) -> NSAttributeDescription {
    let composite = reader.nonEmptyText("composite")
    if type == .compositeAttributeType {
      let attribute = NSCompositeAttributeDescription()
      attribute.elements = composites.elements(of: composite, usedBy: reader, inside: enclosing)
      return attribute
    }
    if composite != nil {
      reader.warning(
        .contradiction, "composite", "The attribute is not composite.",
        "Set its type to Composite.")
    }
    let attribute = isDerived ? readDerivation(with: &reader) : NSAttributeDescription()
    attribute.attributeType = type
    return attribute
  }

  private func readIdentity(of attribute: NSAttributeDescription, with reader: inout ElementReader)
  {
    let identifiers = [reader.nonEmptyText("elementID"), reader.nonEmptyText("renamingIdentifier")]
    attribute.storedRenamingIdentifier = identifiers.compactMap(\.self).first
    attribute.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    attribute.userInfo = UserInfo.read(inside: reader)
  }

  private func readStorage(of attribute: NSAttributeDescription, with reader: inout ElementReader) {
    attribute.allowsExternalBinaryDataStorage =
      reader.flag("allowsExternalBinaryDataStorage") ?? false
    attribute.preservesValueInHistoryOnDeletion = reader.flag("preserveAfterDeletion") ?? false
    attribute.allowsCloudEncryption = reader.flag("allowsCloudEncryption") ?? false
    attribute.isIndexedBySpotlight = reader.flag("spotlightIndexingEnabled") ?? false
    attribute.storedIsIndexed = reader.flag("indexed") ?? false
    attribute.storedIsStoredInExternalRecord = reader.flag("storedInTruthFile") ?? false
    let types: [NSAttributeType] = [.binaryDataAttributeType, .transformableAttributeType]
    if attribute.allowsExternalBinaryDataStorage, !types.contains(attribute.attributeType) {
      reader.warning(
        .contradiction, "allowsExternalBinaryDataStorage",
        "Only binary values can be stored in separate files.",
        "Remove the mark.")
    }
  }

  private func readClass(
    of attribute: NSAttributeDescription, with reader: inout ElementReader,
    source: inout AttributeSourceInfo
  ) {
    source.usesScalarValueType = reader.flag("usesScalarValueType")
    let named = reader.nonEmptyText("customClassName")
    source.customClassName = named ?? attribute.userInfo?["attributeValueClassName"] as? String
    attribute.valueTransformerName = reader.nonEmptyText("valueTransformerName")
    if attribute.attributeType == .transformableAttributeType {
      attribute.storedAttributeValueClassName = named
    }
  }
}
