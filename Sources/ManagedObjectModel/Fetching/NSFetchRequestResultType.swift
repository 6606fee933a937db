/// The types of fetch results.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The raw value of the type.
  public let rawValue: UInt

  /// Creates a type from a raw value.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Managed objects.
  ///
  /// It is the empty set, and the default.
  public static var managedObjectResultType: NSFetchRequestResultType { [] }
  /// The identifiers of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries of the properties to fetch.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// The number of matching objects.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
