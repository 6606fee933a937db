/// The bits of `_P`, which repeat an archived property's flags and show which keys it lacks.
///
/// These bits match `_P` in all 3,031 archived properties of the known files.
struct PropertyBits: OptionSet {
  let rawValue: Int

  static let always = PropertyBits(rawValue: 1)
  static let optional = PropertyBits(rawValue: 2)
  static let readOnly = PropertyBits(rawValue: 4)
  static let transient = PropertyBits(rawValue: 8)
  static let noValidation = PropertyBits(rawValue: 16 | 32)
  static let noUserInfo = PropertyBits(rawValue: 64)
  static let noVersionHashModifier = PropertyBits(rawValue: 128)
  static let spotlight = PropertyBits(rawValue: 256)
  static let ordered = PropertyBits(rawValue: 1024)

  init(rawValue: Int) {
    self.rawValue = rawValue
  }

  init(of property: NSPropertyDescription) {
    self = .always
    if property.isOptional { insert(.optional) }
    if property is NSDerivedAttributeDescription || property is NSFetchedPropertyDescription {
      insert(.readOnly)
    }
    if property.isTransient || property is NSFetchedPropertyDescription { insert(.transient) }
    if property.validationPredicates.isEmpty { insert(.noValidation) }
    if property.userInfo?.isEmpty ?? true { insert(.noUserInfo) }
    if property.versionHashModifier == nil { insert(.noVersionHashModifier) }
    if property.isIndexedBySpotlight { insert(.spotlight) }
    if (property as? NSRelationshipDescription)?.isOrdered ?? false { insert(.ordered) }
  }
}
