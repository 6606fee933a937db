import ManagedObjectModel
import ObjectRows

/// Assigns objects to stores.
///
/// Objects of one entity go to the same store, unless the program assigned another.
struct StoreRouting {
  private let context: NSManagedObjectContext
  private let isChosenByEntity: Bool
  private var last: (layout: RowLayout, number: UInt16)?

  init(_ context: NSManagedObjectContext) {
    self.context = context
    isChosenByEntity = context.assignedStores.isEmpty && context.storedParent == nil
  }

  mutating func storeNumber(of object: NSManagedObject) -> UInt16 {
    if object.storeNumber != NSManagedObject.noStore { return object.storeNumber }
    guard isChosenByEntity else { return context.storeNumberForSaving(object) }
    if object.hasLayout(last?.layout), let last { return last.number }
    let number = context.defaultStoreNumber(object.layout)
    last = (object.layout, number)
    return number
  }
}

/// Choosing the store of a new object.
extension NSManagedObjectContext {
  func assignObject(_ object: Any, to store: NSPersistentStore) {
    requireAccess("assign(_:to:) was called")
    guard let object = object as? NSManagedObject else {
      preconditionFailure(
        "assign(_:to:) takes a managed object and was given a \(type(of: object)).")
    }
    precondition(
      object.context === self && object.flags.contains(.unsaved) && object.key < 0,
      "\(object.entity.name ?? "The object") already belongs to a store. Only objects that were never saved can be assigned to a store."
    )
    guard let open = store.open, open.keeps(object.layout) else {
      preconditionFailure(
        "The store \(store.identifier ?? "") does not have \(object.entity.name ?? "the entity"). Add the entity to its configuration, or choose another store."
      )
    }
    assignedStores[object.key] = open.number
  }

  /// The number of the store in which an object is or will be saved, or `noStore` if there is none.
  func storeNumberForSaving(_ object: NSManagedObject) -> UInt16 {
    if object.storeNumber != NSManagedObject.noStore { return object.storeNumber }
    if !assignedStores.isEmpty, let assigned = assignedStores[object.key] { return assigned }
    guard let storedParent, !object.flags.contains(.unsaved) else {
      return defaultStoreNumber(object.layout)
    }
    return inStepWithParent {
      guard object.storeNumber == NSManagedObject.noStore else { return object.storeNumber }
      let known = storedParent.registry.object(
        object.key, rootIndex: object.layout.rootIndex, storeNumber: NSManagedObject.noStore)
      return known.map(storedParent.storeNumberForSaving) ?? defaultStoreNumber(object.layout)
    }
  }

  /// The first writable store that persists the entity.
  func defaultStoreNumber(_ layout: RowLayout) -> UInt16 {
    persistentStoreCoordinator?.openStore(forNewObjectOf: layout)?.number ?? NSManagedObject.noStore
  }
}
