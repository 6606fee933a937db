import Foundation

/// A description of an attribute: a property with a value.
// Sendable: like its superclass.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  /// The attribute's type.
  open var attributeType: NSAttributeType {
    get { storedAttributeType }
    set { storedAttributeType = editable(newValue) }
  }

  private var storedAttributeType = NSAttributeType.undefinedAttributeType

  /// The attribute's type: `attributeType` with shorter case names.
  open var type: AttributeType {
    get { AttributeType(rawValue: attributeType) }
    set { attributeType = newValue.rawValue }
  }

  /// The name of the class of the attribute's values.
  ///
  /// By default it is the class of the type. Transformable and Undefined have none.
  open var attributeValueClassName: String? {
    get { storedAttributeValueClassName ?? attributeType.valueClassName }
    set { storedAttributeValueClassName = editable(newValue) }
  }

  /// The class name as it was set, without the default of the type.
  package var storedAttributeValueClassName: String?

  /// The attribute's value in a new object.
  open var defaultValue: Any? {
    get { storedDefaultValue }
    set { storedDefaultValue = editable(newValue) }
  }

  private var storedDefaultValue: Any?

  /// The name of the transformer between a Transformable attribute's values and their data.
  open var valueTransformerName: String? {
    get { storedValueTransformerName }
    set { storedValueTransformerName = editable(newValue) }
  }

  private var storedValueTransformerName: String?

  /// Whether large binary values may be stored in files next to the store.
  open var allowsExternalBinaryDataStorage: Bool {
    get { storedAllowsExternalBinaryDataStorage }
    set { storedAllowsExternalBinaryDataStorage = editable(newValue) }
  }

  private var storedAllowsExternalBinaryDataStorage = false

  /// Whether the value is kept in the history when its object is deleted.
  open var preservesValueInHistoryOnDeletion: Bool {
    get { storedPreservesValueInHistoryOnDeletion }
    set { storedPreservesValueInHistoryOnDeletion = editable(newValue) }
  }

  private var storedPreservesValueInHistoryOnDeletion = false

  /// Whether the value is encrypted in the cloud.
  open var allowsCloudEncryption: Bool {
    get { storedAllowsCloudEncryption }
    set { storedAllowsCloudEncryption = editable(newValue) }
  }

  private var storedAllowsCloudEncryption = false

  override func makeEmptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

  override func copyState(to copy: NSPropertyDescription) {
    super.copyState(to: copy)
    guard let copy = copy as? NSAttributeDescription else { return }
    copy.attributeType = attributeType
    copy.storedAttributeValueClassName = storedAttributeValueClassName
    copy.defaultValue = defaultValue
    copy.valueTransformerName = valueTransformerName
    copy.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    copy.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    copy.allowsCloudEncryption = allowsCloudEncryption
  }

  override func isEqualDescription(to other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSAttributeDescription, super.isEqualDescription(to: other) else {
      return false
    }
    return attributeType == other.attributeType
      && attributeValueClassName == other.attributeValueClassName
      && valueTransformerName == other.valueTransformerName
      && valuesAreEqual(defaultValue, other.defaultValue)
      && allowsExternalBinaryDataStorage == other.allowsExternalBinaryDataStorage
      && preservesValueInHistoryOnDeletion == other.preservesValueInHistoryOnDeletion
      && allowsCloudEncryption == other.allowsCloudEncryption
  }

  override func computeVersionHash() -> [UInt8] {
    VersionHash.hash(of: self)
  }
}
