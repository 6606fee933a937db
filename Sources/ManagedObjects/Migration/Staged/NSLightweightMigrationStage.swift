/// A stage whose versions Core Data migrates by itself.
///
/// The checksums are those of consecutive versions, the oldest first. A store of any of them
/// migrates directly to the last version before the next custom stage.
// Sendable: immutable except for the superclass's label.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  private let checksums: [String]

  /// Creates a stage for the versions with the given checksums.
  ///
  /// A version's checksum is ``NSManagedObjectModel/versionChecksum``.
  public init(_ checksums: [String]) {
    self.checksums = checksums
    super.init()
  }

  /// The checksums of the versions.
  open var versionChecksums: [String] { checksums }
}
