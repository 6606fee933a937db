import Foundation

/// A stage between two versions, with handlers that change the data before and after it.
///
/// Core Data migrates the store between the handlers with an inferred mapping. For example, the
/// first handler replaces nil by a value, so that an optional attribute can become required:
///
/// ```swift
/// let stage = NSCustomMigrationStage(migratingFrom: version1, to: version2)
/// stage.willMigrateHandler = { manager, stage in
///   guard let container = manager.container else { return }
///   let context = container.newBackgroundContext()
///   try context.performAndWait {
///     let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
///     request.predicate = NSPredicate(format: "title = nil")
///     for note in try context.fetch(request) { note.setValue("Untitled", forKey: "title") }
///     try context.save()
///   }
/// }
/// ```
///
/// - Warning: If the process ends during a stage, the next opening runs an unfinished handler again
///   from its beginning.
// Sendable: the references are immutable, and mutexes protect the handlers.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
  private let source: NSManagedObjectModelReference
  private let destination: NSManagedObjectModelReference
  private let handlers = LockedBox(Handlers())

  private struct Handlers {
    var before: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    var after: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  }

  /// Creates a stage between the versions of two references.
  public init(
    migratingFrom currentModel: NSManagedObjectModelReference,
    to nextModel: NSManagedObjectModelReference
  ) {
    source = currentModel
    destination = nextModel
    super.init()
  }

  /// The version before the stage.
  open var currentModel: NSManagedObjectModelReference { source }

  /// The version after the stage.
  open var nextModel: NSManagedObjectModelReference { destination }

  /// Called before the stage, while the manager's container has the store with the current model.
  ///
  /// An error stops the migration; the store keeps the current version.
  open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
  {
    get { handlers.withLock { $0.before } }
    set { handlers.withLock { $0.before = newValue } }
  }

  /// Called after the stage, while the manager's container has the store with the next model.
  ///
  /// An error stops the migration; the next opening calls the handler again.
  open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)? {
    get { handlers.withLock { $0.after } }
    set { handlers.withLock { $0.after = newValue } }
  }
}
