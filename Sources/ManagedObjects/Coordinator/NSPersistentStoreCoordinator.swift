public import Foundation
public import ManagedObjectModel
package import ObjectRows
import Synchronization

/// Connects contexts with the stores that keep their objects.
///
/// It knows which store keeps which entity. Contexts on several queues use one coordinator at once; stores let as many of
/// them read at a time as they can.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(type: .sqlite, at: file)
/// ```
// Sendable: the stores and the name lie behind mutexes; all else never changes.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  private let model: NSManagedObjectModel
  /// How the rows of the model's entities lie in memory.
  package let layouts: ModelLayouts
  /// What the coordinator, its stores and its contexts take from outside.
  package let surroundings: Surroundings
  /// Where blocks run that are given to the coordinator itself.
  let queue: ExecutionQueue
  /// The contexts that take over each other's saves.
  let audience = ContextAudience()
  private let table = Guarded(StoreTable())
  private let givenName = Mutex<String?>(nil)
  /// Held while a store is added or removed, so that this happens one at a time.
  let changing = ExecutionQueue(label: "store changes", scheduler: DispatchScheduler())

  /// A coordinator of a model.
  ///
  /// The model comes into use and can no longer be changed.
  public required init(managedObjectModel model: NSManagedObjectModel) {
    self.model = model
    layouts = ModelLayouts.of(model)
    surroundings = Surroundings.current
    queue = ExecutionQueue(label: "coordinator", scheduler: surroundings.scheduler)
    super.init()
  }

  deinit {
    // Nobody is left whom an error could be told.
    for open in openStores { try? open.rowStore.close() }
  }

  /// The model whose objects the stores keep.
  open var managedObjectModel: NSManagedObjectModel { model }

  /// The stores, in the order of their addition.
  open var persistentStores: [NSPersistentStore] { withTable { $0.persistentStores } }

  /// A name for people who debug the program.
  open var name: String? {
    get { givenName.withLock { $0 } }
    set { givenName.withLock { $0 = newValue } }
  }

  // MARK: For contexts

  /// The open stores, in the order of their addition.
  package var openStores: [OpenStore] { withTable { $0.openStores } }

  /// The store of a number, while it is open.
  package func openStore(number: UInt16) -> OpenStore? { withTable { $0[number] } }

  /// The stores that keep an entity.
  package func openStores(keeping layout: RowLayout) -> [OpenStore] { openStores.filter { $0.keeps(layout) } }

  /// The store for a new object: the first that keeps its entity and can be written.
  package func openStore(forNewObjectOf layout: RowLayout) -> OpenStore? {
    openStores.first { $0.keeps(layout) && !$0.isReadOnly }
  }

  /// The store that an object identifier speaks of, while it is one of this coordinator's.
  package func openStore(of objectID: NSManagedObjectID) -> OpenStore? {
    guard let identity = objectID.storeIdentity else { return nil }
    let stores = openStores
    return stores.first { $0.identity === identity } ?? stores.first { $0.identity.uuid == identity.uuid }
  }

  // MARK: The table

  func withTable<Result>(_ body: (inout StoreTable) -> Result) -> Result {
    table.withLock(body)
  }
}
