public import Foundation
public import ManagedObjectModel
import Synchronization

/// An object that migrates a store from one version of a model to another with a mapping model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: version1, destinationModel: version2)
/// try manager.migrateStore(from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
/// ```
///
/// The manager reads the source store and writes the destination store with one save, so a failed
/// migration adds nothing to the destination. The objects of a migration have the class
/// `NSManagedObject`. All objects are in memory until the save. A mapping model for a part of the
/// entities saves memory: several migrations, one after the other, can fill one destination store.
// Sendable: locks protect the progress, its handler and the cancellation, which any thread may use.
// The rest is confined to the thread that migrates.
open class NSMigrationManager: NSObject, @unchecked Sendable {
  private let models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)

  /// The model of the source store.
  open var sourceModel: NSManagedObjectModel { models.source }
  /// The model of the destination store.
  open var destinationModel: NSManagedObjectModel { models.destination }

  /// Whether a store may migrate by its own means if the mapping was inferred.
  ///
  /// A SQLite store then migrates with SQL alone, without objects or policies. It keeps its
  /// history, its identifiers and its mirroring.
  open var usesStoreSpecificMigrationManager = true

  /// Custom values of the program, which policies can read.
  open var userInfo: [AnyHashable: Any]?

  var state: MigrationState?
  private let progress = Mutex<Float>(0)
  private let observer = LockedBox<(@Sendable (Float) -> Void)?>(nil)
  private let cancellation = Mutex<(any Error)?>(nil)

  /// Creates a manager for two versions of a model.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    models = (sourceModel, destinationModel)
    super.init()
  }

  // MARK: Migrating

  /// Migrates a store.
  ///
  /// The destination store is created if it does not exist; otherwise the migrated objects are
  /// added to it. The source store is not changed. A mirrored store is rejected, unless the mapping
  /// was inferred and the store migrates by its own means.
  ///
  /// - Parameters:
  ///   - sourceURL: The location of the source store.
  ///   - sStoreType: The type of the source store, such as `NSSQLiteStoreType`.
  ///   - sOptions: The options for opening the source store.
  ///   - mappings: The mapping model.
  ///   - dURL: The location of the destination store.
  ///   - dStoreType: The type of the destination store.
  ///   - dOptions: The options for opening the destination store.
  open func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    guard let mappings else {
      throw cocoaError(
        NSMigrationMissingMappingModelError,
        "The store \(sourceURL.path) cannot be migrated without a mapping model.")
    }
    let migration = ManagedMigration(
      manager: self, mapping: mappings,
      source: MigrationPlace(
        url: sourceURL, type: sStoreType, options: MigrationPlace.sourceOptions(sOptions)),
      destination: MigrationPlace(
        url: dURL, type: dStoreType, options: MigrationPlace.withoutMigration(dOptions)))
    try throwingPublicErrors { try migration.run() }
  }

  /// Migrates a store.
  ///
  /// The destination store is created if it does not exist; otherwise the migrated objects are
  /// added to it.
  public func migrateStore(
    from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
    options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel,
    to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrateStore(
      from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
      toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
      destinationOptions: destinationOptions)
  }

  /// Ends the running migration with an error, at the next object.
  ///
  /// It can be called on any thread. The migration then throws `CocoaError.migrationCancelled` with
  /// this error as the underlying one.
  open func cancelMigrationWithError(_ error: any Error) {
    cancellation.withLock { $0 = error }
  }

  /// Forgets which objects belong together.
  ///
  /// The manager calls it when a migration ends.
  open func reset() {
    state?.associations = MigrationAssociations()
    state?.current = nil
  }

  // MARK: Progress

  /// The completed fraction of the running migration, from 0 to 1.
  open var migrationProgress: Float { progress.withLock { $0 } }

  /// A closure that is called when the progress changes, on the thread that migrates.
  ///
  /// Parhelion's addition.
  ///
  /// It takes the place of key-value observation, which this platform does not have.
  open var progressHandler: (@Sendable (Float) -> Void)? {
    get { observer.withLock { $0 } }
    set { observer.withLock { $0 = newValue } }
  }

  func setProgress(_ fraction: Float) {
    let isNew = progress.withLock { progress in
      defer { progress = fraction }
      return progress != fraction
    }
    if isNew { progressHandler?(fraction) }
  }

  /// Throws the error of a cancellation, if there was one.
  func checkCancellation() throws {
    guard let reason = cancellation.withLock({ $0 }) else { return }
    throw cocoaError(
      NSMigrationCancelledError, "The migration was cancelled: \(reason.localizedDescription)",
      [NSUnderlyingErrorKey: reason as NSError])
  }

  func forgetCancellation() { cancellation.withLock { $0 = nil } }

  // MARK: While migrating

  private func running(_ what: String) -> MigrationState {
    guard let state else {
      preconditionFailure(
        """
        NSMigrationManager.\(what) was read while no migration was running. It is available only \
        during migrateStore.
        """
      )
    }
    return state
  }

  /// The mapping model of the running migration.
  open var mappingModel: NSMappingModel { running("mappingModel").mapping }

  /// The context that reads the source store.
  open var sourceContext: NSManagedObjectContext { running("sourceContext").source.context }

  /// The context in which the destination objects are created.
  open var destinationContext: NSManagedObjectContext {
    running("destinationContext").destination.context
  }

  /// The mapping that is being processed.
  open var currentEntityMapping: NSEntityMapping {
    guard let mapping = running("currentEntityMapping").current else {
      preconditionFailure("No entity mapping is being processed.")
    }
    return mapping
  }

  /// Returns the source entity of a mapping; nil if it has none.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { (state?.source.model ?? sourceModel).entitiesByName[$0] }
  }

  /// Returns the destination entity of a mapping; nil if it has none.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap {
      (state?.destination.model ?? destinationModel).entitiesByName[$0]
    }
  }

  // MARK: Associations

  /// Records that a destination object was created for a source object.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    running("associate").associations.associate(
      sourceInstance, with: destinationInstance, in: entityMapping.name)
  }

  /// Returns the destination objects that a mapping created for source objects.
  ///
  /// For nil it returns all destination objects of the mapping.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    running("destinationInstances").associations.destinations(of: sourceInstances, in: mappingName)
  }

  /// Returns the source objects for which a mapping created destination objects.
  ///
  /// For nil it returns all source objects of the mapping.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    running("sourceInstances").associations.sources(of: destinationInstances, in: mappingName)
  }

  /// Calls a method for an expression such as
  /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", …)`.
  ///
  /// Parhelion's addition.
  ///
  /// A subclass overrides it for its own selectors.
  open func perform(selectorNamed name: String, with arguments: [Any?]) throws -> Any? {
    try ManagerCall(manager: self, arguments: arguments).perform(name)
  }
}
