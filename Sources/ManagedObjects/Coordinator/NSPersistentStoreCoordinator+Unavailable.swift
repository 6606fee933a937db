/// Apple's API that is not available yet.
extension NSPersistentStoreCoordinator {
  /// Completes the deferred work of a lightweight migration.
  @available(
    *, unavailable,
    message: "There is no deferred work: a lightweight migration completes before the store opens."
  )
  public func finishDeferredLightweightMigration() throws -> Bool { false }

  /// Completes one part of the deferred work of a lightweight migration.
  @available(
    *, unavailable,
    message: "There is no deferred work: a lightweight migration completes before the store opens."
  )
  public func finishDeferredLightweightMigrationTask() throws -> Bool { false }
}
