/// A stage whose versions Core Data migrates by itself.
///
/// The checksums are those of consecutive versions, the oldest first. A store of any of these
/// versions migrates directly to the version at which the next custom stage begins, or else to the
/// coordinator's version.
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
