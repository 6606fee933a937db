import ManagedObjectModel
import ObjectRows

/// A row store that calls the class of an atomic or incremental store.
///
/// The class expects a context and managed objects.
protocol ContextualRowStore: RowStore {
  /// Whether fetched objects are faults, whose values are read one object at a time.
  var fetchesFaults: Bool { get }
  /// The store as seen from a context.
  func bound(to context: NSManagedObjectContext) -> any RowStore
  /// Permanent keys for new objects of one context.
  func permanentKeys(for objects: ContiguousArray<NSManagedObject>) throws
    -> ContiguousArray<Int64>
  /// The key of the row with a name in a URI.
  func key(named name: String, layout: RowLayout) -> Int64?
  /// Whether the store can be saved at another URL.
  var isMovable: Bool { get }
}

extension NSManagedObjectContext {
  /// The context's object for a row of a store with this identity; nil if it has none.
  func registeredObject(_ key: Int64, _ layout: RowLayout, in identity: StoreIdentity)
    -> NSManagedObject?
  {
    guard let number = source?.number(ofStore: identity) else { return nil }
    return registry.object(key, rootIndex: layout.rootIndex, storeNumber: number)
  }
}
