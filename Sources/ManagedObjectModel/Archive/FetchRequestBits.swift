/// The flags of an archived fetch request, `NSFetchRequestFlags`.
///
/// Real files have 30 with no options, and 31 with distinct results. They have 26 with object
/// identifiers, which need no property values, and 14 with dictionaries, which cannot have pending
/// changes. That determines the bits 1, 4 and 16. The order of 2 and 8 is our choice: no known
/// file has one without the other.
struct FetchRequestBits: OptionSet {
  let rawValue: Int

  static let distinctResults = FetchRequestBits(rawValue: 1)
  static let subentities = FetchRequestBits(rawValue: 2)
  static let propertyValues = FetchRequestBits(rawValue: 4)
  static let objectsAsFaults = FetchRequestBits(rawValue: 8)
  static let pendingChanges = FetchRequestBits(rawValue: 16)

  static let standard: FetchRequestBits = [
    .subentities, .propertyValues, .objectsAsFaults, .pendingChanges,
  ]

  init(rawValue: Int) {
    self.rawValue = rawValue
  }

  init(of specification: FetchSpecification) {
    self = []
    if specification.returnsDistinctResults { insert(.distinctResults) }
    if specification.includesSubentities { insert(.subentities) }
    if specification.includesPropertyValues { insert(.propertyValues) }
    if specification.returnsObjectsAsFaults { insert(.objectsAsFaults) }
    if specification.includesPendingChanges { insert(.pendingChanges) }
  }

  func apply(to specification: inout FetchSpecification) {
    specification.returnsDistinctResults = contains(.distinctResults)
    specification.includesSubentities = contains(.subentities)
    specification.includesPropertyValues = contains(.propertyValues)
    specification.returnsObjectsAsFaults = contains(.objectsAsFaults)
    specification.includesPendingChanges = contains(.pendingChanges)
  }
}
