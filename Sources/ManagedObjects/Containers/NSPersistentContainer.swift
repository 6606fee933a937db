public import Foundation
public import ManagedObjectModel
import ObjectRows

/// A container that holds a managed object model, a persistent store coordinator, and contexts.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Notes")
/// try await container.loadPersistentStores()
/// let notes = try container.viewContext.fetch(Note.fetchRequest())
/// ```
///
/// Use the view context on the main queue, and separate contexts for background work.
// Sendable: immutable except for the descriptions, which a mutex protects.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  private let givenName: String
  private let model: NSManagedObjectModel
  private let coordinator: NSPersistentStoreCoordinator
  private let mainContext: NSManagedObjectContext
  private let descriptions: LockedBox<[NSPersistentStoreDescription]>

  /// Creates a container for the model with the given name.
  ///
  /// The model is one that is linked into the program, or a compiled model in the resources of the
  /// program or its modules. If there is none, the program stops with a message. If the model comes
  /// from elsewhere, pass it to `init(name:managedObjectModel:)`.
  public convenience init(name: String) {
    self.init(name: name, managedObjectModel: ModelByName.model(named: name))
  }

  /// Creates a container with a name and a model.
  ///
  /// - Parameters:
  ///   - name: The name of the store file, unless `persistentStoreDescriptions` gives another.
  ///   - model: The model. It must not change afterwards.
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    givenName = name
    self.model = model
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    mainContext = coordinator.makeContext(.mainQueueConcurrencyType)
    mainContext.name = "viewContext"
    descriptions = LockedBox([])
    super.init()
    let file = Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
  }

  /// The folder for the program's stores: a subfolder of the user's data folder, named after the
  /// program.
  ///
  /// The folder is created if it does not exist.
  open class func defaultDirectoryURL() -> URL {
    let dependencies = StackDependencies.current
    let folder = dependencies.files.dataHome().appendingPathComponent(
      dependencies.bundleID, isDirectory: true)
    // If the folder cannot be created, opening the store in it throws the error.
    if !dependencies.files.itemExists(at: folder) {
      try? dependencies.files.createDirectory(at: folder)
    }
    return folder
  }

  /// The name of the container.
  open var name: String { givenName }

  /// A context that works on the main queue.
  open var viewContext: NSManagedObjectContext { mainContext }

  /// The model of the container's objects.
  open var managedObjectModel: NSManagedObjectModel { model }

  /// The coordinator to which the stores are added.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator { coordinator }

  /// The descriptions of the stores to load.
  ///
  /// The default is one SQLite store in the default folder.
  ///
  /// Changes have no effect after the stores were loaded.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
    get { descriptions.withLock { $0 } }
    set { descriptions.withLock { $0 = newValue } }
  }

  /// Loads the stores.
  ///
  /// The closure is called once for each description, with the error if there is one. It is called
  /// before the method returns, unless the description adds its store asynchronously: then it is
  /// called later, on another thread.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      coordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// Creates a context with a private queue.
  open func newBackgroundContext() -> NSManagedObjectContext {
    coordinator.makeContext(.privateQueueConcurrencyType)
  }

  /// Runs a block asynchronously with a new context, on that context's queue.
  open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }
}

extension NSPersistentContainer {
  /// Runs a block with a new context, on that context's queue, and returns its result.
  public nonisolated(nonsending) func performBackgroundTask<T>(
    _ block: @escaping (NSManagedObjectContext) throws -> T
  ) async rethrows -> T {
    let context = newBackgroundContext()
    return try await context.perform(schedule: .enqueued) { try block(context) }
  }

  /// Loads the stores, off the caller's actor.
  ///
  /// This method is Parhelion's addition.
  ///
  /// All stores are tried. The error is that of the first store that could not be added.
  @concurrent
  public func loadPersistentStores() async throws {
    var failure: (any Error)?
    for description in persistentStoreDescriptions {
      do {
        try persistentStoreCoordinator.addPersistentStore(describedBy: description)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}

extension NSPersistentStoreCoordinator {
  /// Creates a context with this coordinator and its dependencies.
  package func makeContext(_ type: NSManagedObjectContextConcurrencyType) -> NSManagedObjectContext
  {
    let context = StackDependencies.$current.withValue(dependencies) {
      NSManagedObjectContext(concurrencyType: type)
    }
    context.persistentStoreCoordinator = self
    return context
  }
}

/// Finds the model of a container.
enum ModelByName {
  /// Returns the shared model that is linked under the name, or one from the program's resources.
  ///
  /// The program stops with a message if there is none.
  static func model(named name: String) -> NSManagedObjectModel {
    if let linked = NSManagedObjectModel.linked(named: name) { return linked }
    do {
      return try AvailableModels.model(named: name)
    } catch {
      preconditionFailure("NSPersistentContainer(name: \"\(name)\"): \(error)")
    }
  }
}
