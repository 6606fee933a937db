import ObjectRows

/// The data from which the identifiers of saved objects are created on demand.
///
/// This is a copy, because the objects may have changed when an observer reads the identifiers.
struct SavedIdentifiers {
  /// Adjacent objects of one entity in one store.
  private struct Run {
    let layout: RowLayout
    let storeIdentity: StoreIdentity?
    var keys: Range<Int>
  }

  private var runs: [Run] = []
  private var keys: ContiguousArray<Int64> = []
  /// The identifiers of objects without a key in a store, because they were saved to a parent only.
  private var temporary: [NSManagedObjectID] = []

  /// Records the identifiers of objects.
  ///
  /// - Parameter storeIdentity: The identity of a store with the given number. Most objects are in
  ///   one store, which is looked up once.
  init(
    of objects: ContiguousArray<NSManagedObject>, storeIdentity: (UInt16) -> StoreIdentity?
  ) {
    keys.reserveCapacity(objects.count)
    var last: (number: UInt16, identity: StoreIdentity?) = (NSManagedObject.noStore, nil)
    var layout: RowLayout?
    objects.forEachHeld { object in
      guard object.key > 0 else { return temporary.append(object.objectID) }
      let isOfOtherStore = last.number != object.storeNumber
      if isOfOtherStore { last = (object.storeNumber, storeIdentity(object.storeNumber)) }
      if isOfOtherStore || !object.hasLayout(layout) {
        let known = object.layout
        layout = known
        runs.append(
          Run(layout: known, storeIdentity: last.identity, keys: keys.count..<keys.count))
      }
      keys.append(object.key)
      runs[runs.count - 1].keys = runs[runs.count - 1].keys.lowerBound..<keys.count
    }
  }

  /// The identifiers.
  var elements: Set<NSManagedObjectID> {
    var elements = Set<NSManagedObjectID>(minimumCapacity: keys.count + temporary.count)
    for run in runs {
      for key in keys[run.keys] {
        elements.update(
          with: NSManagedObjectID(
            layout: run.layout, key: key, storeIdentity: run.storeIdentity))
      }
    }
    elements.formUnion(temporary)
    return elements
  }
}
