/// What `initializeCloudKitSchema(options:)` leaves out, and what it says.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: UInt

  /// Options by their bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// The records are made and looked at, and nothing is sent.
  public static let dryRun = Self(rawValue: 1 << 1)
  /// The types and their fields are written to the standard output.
  public static let printSchema = Self(rawValue: 1 << 2)
}
