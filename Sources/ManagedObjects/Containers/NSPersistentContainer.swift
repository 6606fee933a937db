public import Foundation
public import ManagedObjectModel
import ObjectRows

/// A model, a coordinator with its stores, and contexts: all that a program needs to keep objects.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Notes")
/// try await container.loadPersistentStores()
/// let notes = try container.viewContext.fetch(Note.fetchRequest())
/// ```
///
/// Use the view context on the main queue, and contexts of their own for work in the background.
// Sendable: immutable but for the descriptions, which lie behind a mutex.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  private let givenName: String
  private let model: NSManagedObjectModel
  private let coordinator: NSPersistentStoreCoordinator
  private let mainContext: NSManagedObjectContext
  private let descriptions: LockedBox<[NSPersistentStoreDescription]>

  /// A container for the model of a name.
  ///
  /// The model is one that is linked into the program, else a compiled model among the program's
  /// resources or those of its modules. A program without such a model is stopped, with a sentence;
  /// give the model itself where it comes from elsewhere.
  public convenience init(name: String) {
    self.init(name: name, managedObjectModel: ModelByName.model(named: name))
  }

  /// A container for a model.
  ///
  /// - Parameters:
  ///   - name: The name of the store's file, unless `persistentStoreDescriptions` says another.
  ///   - model: The model, which comes into use.
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

  /// The folder for the stores of this program: of its name, in the user's folder for data.
  ///
  /// It is made where it is missing.
  open class func defaultDirectoryURL() -> URL {
    let dependencies = StackDependencies.current
    let folder = dependencies.files.dataHome().appendingPathComponent(
      dependencies.bundleID, isDirectory: true)
    // A folder that cannot be made shows in the error of the store that should lie there.
    if !dependencies.files.itemExists(at: folder) {
      try? dependencies.files.createDirectory(at: folder)
    }
    return folder
  }

  /// The name of the container.
  open var name: String { givenName }

  /// The context for the main queue.
  open var viewContext: NSManagedObjectContext { mainContext }

  /// The model whose objects the container keeps.
  open var managedObjectModel: NSManagedObjectModel { model }

  /// The coordinator that has the stores.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator { coordinator }

  /// The stores to load: at first, one SQLite store in the default folder.
  ///
  /// Changes count until the stores are loaded.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
    get { descriptions.withLock { $0 } }
    set { descriptions.withLock { $0 = newValue } }
  }

  /// Loads the stores.
  ///
  /// The closure is called once for each description, with the error if there is one: before the
  /// method returns, or later and on another thread where a description says that its store is
  /// added asynchronously.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      coordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// A new context with a queue of its own.
  open func newBackgroundContext() -> NSManagedObjectContext {
    coordinator.makeContext(.privateQueueConcurrencyType)
  }

  /// Runs a block later, with a new context, on that context's queue.
  open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }
}

extension NSPersistentContainer {
  /// Runs a block with a new context, on that context's queue, and gives its result.
  public nonisolated(nonsending) func performBackgroundTask<T>(
    _ block: @escaping (NSManagedObjectContext) throws -> T
  ) async rethrows -> T {
    let context = newBackgroundContext()
    return try await context.perform(schedule: .enqueued) { try block(context) }
  }

  /// Loads the stores, off the caller's actor.
  ///
  /// Parhelion's addition.
  ///
  /// All of them are tried; the error is that of the first that could not be added.
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
  /// A context that works with this coordinator, in its dependencies.
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
  /// The shared model that is linked under a name, else one among the program's resources.
  ///
  /// Stops the program, with a sentence, where there is none.
  static func model(named name: String) -> NSManagedObjectModel {
    if let linked = NSManagedObjectModel.linked(named: name) { return linked }
    do {
      return try AvailableModels.model(named: name)
    } catch {
      preconditionFailure("NSPersistentContainer(name: \"\(name)\"): \(error)")
    }
  }
}
