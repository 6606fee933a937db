/// Options of `initializeCloudKitSchema(options:)`.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: UInt

  /// Creates options from their bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Checks the records without sending them.
  public static let dryRun = Self(rawValue: 1 << 1)
  /// Prints the record types and their fields to standard output.
  public static let printSchema = Self(rawValue: 1 << 2)
}
