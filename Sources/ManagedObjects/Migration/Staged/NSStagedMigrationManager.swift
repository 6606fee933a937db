public import Foundation
import ObjectRows

/// The stages of a migration, and the store while it migrates.
///
/// Pass the manager as the option `NSPersistentStoreStagedMigrationManagerOptionKey`. When a store
/// of an older version is added, the stages run in order, beginning with the store's version.
///
/// The stages list every version once, the oldest first, and include the coordinator's version. A
/// version that ends one stage may begin the next.
// Sendable: the stages are immutable, and a mutex protects the container.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
  private let allStages: [NSMigrationStage]
  private let containerBox = LockedBox<NSPersistentContainer?>(nil)
  let versions: StagedVersions

  /// Creates a manager with stages, in the order in which they run.
  ///
  /// The program stops with a message if a version occurs in two places.
  public init(_ stages: [NSMigrationStage]) {
    allStages = stages
    do {
      versions = try StagedVersions(stages)
    } catch {
      preconditionFailure("NSStagedMigrationManager(_:): \(error.message)")
    }
    super.init()
  }

  /// The stages.
  open var stages: [NSMigrationStage] { allStages }

  /// A container with the store, while a handler of a custom stage runs; nil at other times.
  open var container: NSPersistentContainer? { containerBox.withLock { $0 } }

  func setContainer(_ container: NSPersistentContainer?) {
    containerBox.withLock { $0 = container }
  }
}
