extension NSAttributeType {
  /// The name of the class of the type's values, or nil if the type has no fixed class.
  package var valueClassName: String? {
    switch self {
    case .undefinedAttributeType, .transformableAttributeType: nil
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: "NSNumber"
    case .doubleAttributeType, .floatAttributeType, .booleanAttributeType: "NSNumber"
    case .decimalAttributeType: "NSDecimalNumber"
    case .stringAttributeType: "NSString"
    case .dateAttributeType: "NSDate"
    case .binaryDataAttributeType: "NSData"
    case .UUIDAttributeType: "NSUUID"
    case .URIAttributeType: "NSURL"
    case .objectIDAttributeType: "NSManagedObjectID"
    case .compositeAttributeType: "NSDictionary"
    }
  }
}
