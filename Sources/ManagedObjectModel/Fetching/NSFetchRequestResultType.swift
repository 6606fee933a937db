/// What a fetch gives for each row that it finds.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The number of the type.
  public let rawValue: UInt

  /// The type of a number.
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
  /// One number: how many objects there are.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
