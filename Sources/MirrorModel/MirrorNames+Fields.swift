/// The names of fields that derive from those of properties.
extension MirrorNames {
  /// The prefix of our own fields, which readers of Apple's fields ignore.
  package static let ownPrefix = "PH_"
  /// The suffix of fields that hold the order of a relationship.
  package static let orderSuffix = "_order"
  /// The suffix of fields that hold exact values.
  package static let exactSuffix = "_exact"
  /// The field with the names of the records that a record absorbed, one on each line.
  package static let standsFor = ownPrefix + "standsFor"
  /// The field that counts a record's moves between zones; absent for none.
  package static let moves = ownPrefix + "moves"
  /// The field by which Apple's container tracks objects that move between zones.
  package static let moveReceipt = "CD_moveReceipt"

  /// The field of an attribute or a reference.
  package static func field(_ property: String) -> String { prefix + property }

  /// The attribute or reference of a field.
  package static func property(_ field: String) -> String { String(field.dropFirst(prefix.count)) }

  /// The field that holds a field's long value as an asset.
  package static func asset(_ field: String) -> String { field + assetSuffix }

  /// The field that holds the exact values of an attribute.
  package static func exact(_ property: String) -> String { ownPrefix + property + exactSuffix }

  /// Whether a field holds exact values.
  package static func isExact(_ field: String) -> Bool {
    field.hasPrefix(ownPrefix) && field.hasSuffix(exactSuffix)
  }

  /// The field that holds the order of a relationship.
  package static func order(_ property: String) -> String { ownPrefix + property + orderSuffix }

  /// Whether a field holds the file of an order.
  package static func isLongOrder(_ field: String) -> Bool {
    field.hasPrefix(ownPrefix) && field.hasSuffix(assetSuffix)
  }
}
