import Foundation
import PredicateLanguage

/// Attributes.
///
/// | key of `NSAttributeDescription` | meaning |
/// |---|---|
/// | `NSAttributeType` | Apple's public number |
/// | `NSAttributeValueClassName` | class of the values |
/// | `NSDefaultValue` | |
/// | `NSValueTransformerName` | |
/// | `NSFlagsKey` | bit 4: allows external storage; bit 16: preserved in the history on deletion |
/// | `ParhelionAllowsCloudEncryption` | our own: Apple's bit is not known |
/// | `NSDerivationExpression`, `NSFilteringPredicate` | of `NSDerivedAttributeDescription` |
/// | `ParhelionElements` | our own: Apple's key of composites is not known |
///
/// In an `NSCompositeAttributeDescription`, any key with a collection of attributes is accepted.
extension ModelArchiveReader {
  /// The bits of `NSFlagsKey`.
  enum AttributeBits {
    static let external = 4
    static let history = 16
  }

  static let elementsKey = "ParhelionElements"

  func readAttribute(_ object: ArchivedObject, nesting: Int) throws(ModelArchiveError)
    -> NSAttributeDescription
  {
    let attribute = try makeAttribute(object, nesting: nesting)
    try readCommon(of: attribute, object)
    attribute.attributeType = try attributeType("NSAttributeType", of: object)
    let className = try object.string("NSAttributeValueClassName")
    attribute.storedAttributeValueClassName =
      className == attribute.attributeType.valueClassName ? nil : className
    attribute.defaultValue = try object.value("NSDefaultValue").decoded()
    attribute.valueTransformerName = try object.string("NSValueTransformerName")
    let bits = try object.integer("NSFlagsKey") ?? 0
    attribute.allowsExternalBinaryDataStorage = bits & AttributeBits.external != 0
    attribute.preservesValueInHistoryOnDeletion = bits & AttributeBits.history != 0
    attribute.allowsCloudEncryption = try object.flag("ParhelionAllowsCloudEncryption")
    return attribute
  }

  func attributeType(_ key: String, of object: ArchivedObject) throws(ModelArchiveError)
    -> NSAttributeType
  {
    let number = try object.integer(key, in: 0...Int(UInt16.max))
    guard let type = NSAttributeType(rawValue: UInt(number)) else {
      throw object.error(.contradiction, "No type of attribute has the number \(number).", key: key)
    }
    return type
  }

  private func makeAttribute(
    _ object: ArchivedObject, nesting: Int
  ) throws(ModelArchiveError) -> NSAttributeDescription {
    if object.isKind(of: "NSDerivedAttributeDescription") {
      let attribute = NSDerivedAttributeDescription()
      attribute.derivationExpression = try ExpressionArchiveReader.read(
        "NSDerivationExpression", of: object)
      attribute.filteringPredicate = try PredicateArchiveReader.read(
        "NSFilteringPredicate", of: object)
      return attribute
    }
    guard object.isKind(of: "NSCompositeAttributeDescription") else {
      return NSAttributeDescription()
    }
    guard nesting < Limits.compositeDepth else {
      throw object.error(
        .limit, "Composite attributes are nested more than \(Limits.compositeDepth) deep.")
    }
    let attribute = NSCompositeAttributeDescription()
    var elements: [NSAttributeDescription] = []
    for element in try compositeElements(of: object) {
      elements.append(try readAttribute(element, nesting: nesting + 1))
    }
    attribute.elements = elements
    return attribute
  }

  private func compositeElements(of object: ArchivedObject) throws(ModelArchiveError)
    -> [ArchivedObject]
  {
    for key in [Self.elementsKey] + object.fields.keys.sorted() {
      guard case .object(let collection) = try object.value(key) else { continue }
      guard collection.isCollection || collection.isDictionary else { continue }
      let values =
        collection.isDictionary ? try collection.entries().map(\.value) : try collection.elements()
      let attributes = values.compactMap { $0.object(of: "NSAttributeDescription") }
      if !attributes.isEmpty, attributes.count == values.count { return attributes }
    }
    return []
  }
}
