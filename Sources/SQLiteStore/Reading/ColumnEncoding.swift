import ManagedObjectModel
import ObjectRows

/// The encoding of a value in its column, which also determines its form in the row's slot.
enum ColumnEncoding: UInt8 {
  case bool, int16, int32, int64, float, double
  /// Seconds since 2001.
  case date
  /// Sixteen bytes.
  case uuid
  case decimal, string, url, data
  /// Bytes after a tag, which says whether they are in the row or in a file.
  case taggedData
  /// The output of a transformer.
  case encoded
  /// The output of a transformer, after a tag.
  case taggedEncoded
  /// The key of another row.
  case toOne
  /// A dictionary, in several columns.
  case composite
}

extension ColumnEncoding {
  /// The encoding of a property's values, or nil if a store does not keep them.
  init?(_ property: NSPropertyDescription) {
    if let relationship = property as? NSRelationshipDescription, !relationship.isToMany {
      self = .toOne
    } else if let attribute = property as? NSAttributeDescription {
      self.init(attribute)
    } else {
      return nil
    }
  }

  private init?(_ attribute: NSAttributeDescription) {
    let isTagged = attribute.allowsExternalBinaryDataStorage
    switch attribute.attributeType {
    case .booleanAttributeType: self = .bool
    case .integer16AttributeType: self = .int16
    case .integer32AttributeType: self = .int32
    case .integer64AttributeType: self = .int64
    case .floatAttributeType: self = .float
    case .doubleAttributeType: self = .double
    case .dateAttributeType: self = .date
    case .UUIDAttributeType: self = .uuid
    case .decimalAttributeType: self = .decimal
    case .stringAttributeType: self = .string
    case .URIAttributeType: self = .url
    case .binaryDataAttributeType: self = isTagged ? .taggedData : .data
    case .transformableAttributeType: self = isTagged ? .taggedEncoded : .encoded
    case .compositeAttributeType: self = .composite
    case .undefinedAttributeType, .objectIDAttributeType: return nil
    }
  }
}
