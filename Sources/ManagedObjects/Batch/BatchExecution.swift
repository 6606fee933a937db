package import Foundation
import ObjectRows

/// The execution of a batch request for a context: the stores, the request's originator, the
/// result.
///
/// Each store is written in a separate transaction. All stores are checked first: if one cannot
/// execute batch requests or is read-only, nothing changes. If a later store fails, the earlier
/// ones stay changed.
struct BatchExecution {
  let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator
  let form: BatchResultForm

  init(_ context: NSManagedObjectContext, _ form: BatchResultForm) {
    guard let coordinator = context.persistentStoreCoordinator else {
      preconditionFailure(
        "A batch request needs stores: set the context's persistentStoreCoordinator, or a parent."
      )
    }
    self.context = context
    self.coordinator = coordinator
    self.form = form
  }

  var transaction: TransactionDescription {
    TransactionDescription(of: context, dependencies: coordinator.dependencies)
  }

  // MARK: Stores

  /// The stores that persist an entity, among those to which a request is limited.
  func stores(for layout: RowLayout, _ limited: [AnyObject]?) throws -> [OpenStore] {
    let stores = coordinator.openStores(keeping: layout).filter { open in
      limited.map { $0.contains { $0 === open.persistentStore } } ?? true
    }
    for store in stores { try store.requireBatches() }
    return stores
  }

  /// The store that gets new objects of an entity: the first writable one.
  func storeForInsertion(of layout: RowLayout, _ limited: [AnyObject]?) throws -> OpenStore {
    let stores = coordinator.openStores(keeping: layout).filter { open in
      limited.map { $0.contains { $0 === open.persistentStore } } ?? true
    }
    guard let store = stores.first(where: { !$0.isReadOnly }) ?? stores.first else {
      throw BatchError.noStore(layout)
    }
    try store.requireBatches()
    return store
  }

  // MARK: Running

  /// Executes a request in stores, and returns its result.
  func run(in stores: [OpenStore], _ body: (any BatchStore) throws -> BatchReceipt) throws -> Any {
    var receipts: [(store: OpenStore, receipt: BatchReceipt)] = []
    // If a later store fails, the earlier ones stay changed.
    defer { if receipts.contains(where: \.receipt.hasChanges) { postExecuted() } }
    for store in stores { receipts.append((store, try store.executeBatch(body))) }
    return result(receipts)
  }

  private func postExecuted() {
    var root = context
    while let parent = root.parent { root = parent }
    NotificationCenter.default.post(name: OpenStore.batchExecuted, object: root)
  }

  func result(_ receipts: [(store: OpenStore, receipt: BatchReceipt)]) -> Any {
    switch form {
    case .status: return true
    case .count: return receipts.reduce(0) { $0 + $1.receipt.count }
    case .objectIDs:
      return receipts.flatMap { store, receipt in
        receipt.keys.map { row in
          NSManagedObjectID(
            layout: coordinator.layouts[row.layoutIndex], key: row.key,
            storeIdentity: store.identity)
        }
      }
    }
  }
}

extension TransactionDescription {
  /// The originator of a context's current writes.
  init(of context: NSManagedObjectContext, dependencies: StackDependencies) {
    self.init(
      author: context.transactionAuthor, contextName: context.name, bundleID: dependencies.bundleID,
      processID: dependencies.processName, date: dependencies.now())
  }
}

extension OpenStore {
  /// The notification that a batch request changed a store, for higher layers.
  ///
  /// Its object is the context without a parent.
  package static let batchExecuted = Notification.Name("ParhelionBatchExecuted")

  /// Throws an error if the store cannot execute batch requests, or cannot be written.
  fileprivate func requireBatches() throws {
    guard rowStore is any BatchStore else { throw BatchError.unsupportedStore(self) }
    try throwingPublicErrors { try requireWritable() }
  }
}
