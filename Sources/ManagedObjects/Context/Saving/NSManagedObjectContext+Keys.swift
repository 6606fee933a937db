import Foundation
import ManagedObjectModel
import ObjectRows

/// Permanent keys for new objects.
extension NSManagedObjectContext {
  func makeIdentifiersPermanent(_ objects: [NSManagedObject]) throws {
    requireAccess("obtainPermanentIDs(for:) was called")
    let new = objects.filter { $0.key < 0 && $0.context === self }
    guard !new.isEmpty else { return }
    if let storedParent {
      try obtainKeys(of: new, from: storedParent)
    } else {
      try obtainKeys(of: new)
    }
  }

  /// Gives objects keys of the stores in which they will be saved, with one call to each store.
  func obtainKeys(of objects: [NSManagedObject]) throws {
    guard let coordinator = persistentStoreCoordinator else { return }
    var rest = ContiguousArray(objects)
    while let first = rest.first {
      let number = storeNumberForSaving(first)
      guard let open = coordinator.openStore(number: number) else {
        throw SaveError.noStore(for: first)
      }
      try giveKeys(to: rest.filter { storeNumberForSaving($0) == number }, in: open)
      rest = rest.filter { $0.key < 0 }
    }
  }

  /// Gives objects permanent keys of a store and passes them to child contexts.
  ///
  /// The program may keep such an identifier anywhere, and save later or never, so the reservation
  /// is durable before the method returns.
  func giveKeys(to objects: ContiguousArray<NSManagedObject>, in open: OpenStore) throws {
    let former = aliases.isKept ? objects.map(\.key) : []
    try moveToKeys(of: open, objects, forSave: false)
    for (object, key) in zip(objects, former) { recordAlias(of: object, temporary: key) }
  }

  /// Gives objects keys of a store, with one call to the store, and registers them under these
  /// keys.
  func moveToKeys(of open: OpenStore, _ objects: ContiguousArray<NSManagedObject>, forSave: Bool)
    throws
  {
    var places = KeyPlaces()
    objects.forEachHeld { places.count($0) }
    let keys =
      try open.permanentKeys(for: objects)
      ?? places.keys(of: objects, among: try open.reserveKeys(places.counts, forSave: forSave))
    if !assignedStores.isEmpty { for object in objects { assignedStores[object.key] = nil } }
    registry.move(
      objects, to: keys, storeNumber: open.number, counts: places.counts,
      areOfOneStore: places.areOfOneStore)
    if open.contextual != nil { objects.forEachHeld { notifyStore(ofRegistered: $0) } }
  }

  /// Records the key of an object that child contexts know by a temporary key.
  func recordAlias(of object: NSManagedObject, temporary key: Int64) {
    aliases.add(
      KeyAliases.Alias(
        temporary: key, rootIndex: object.layout.rootIndex, key: object.key,
        storeNumber: object.storeNumber))
  }
}

/// The number of keys needed for each entity, and the key of each object.
private struct KeyPlaces {
  private(set) var counts: [(layout: RowLayout, count: Int)] = []
  /// Whether all objects were registered with the same store number.
  private(set) var areOfOneStore = true
  private var storeNumber: UInt16?
  private var places: [Int: Int] = [:]
  /// The entity of the last object.
  ///
  /// Consecutive objects mostly have the same entity.
  private var last: RowLayout?
  private var place = 0

  /// Counts an object that needs a key.
  @inline(__always)
  mutating func count(_ object: NSManagedObject) {
    if !object.hasLayout(last) { find(object.layout) }
    counts[place].count += 1
    if object.storeNumber != storeNumber || !object.flags.contains(.registered) {
      recordStore(of: object)
    }
  }

  /// The key of each object, from those that were reserved for its entity.
  mutating func keys(
    of objects: ContiguousArray<NSManagedObject>, among reserved: [ContiguousArray<Int64>]
  ) -> ContiguousArray<Int64> {
    if let first = reserved.first, reserved.count == 1 { return first }
    var keys: ContiguousArray<Int64> = []
    keys.reserveCapacity(objects.count)
    var taken = [Int](repeating: 0, count: reserved.count)
    objects.forEachHeld { object in
      if !object.hasLayout(last) { find(object.layout) }
      keys.append(reserved[place][taken[place]])
      taken[place] += 1
    }
    return keys
  }

  private mutating func recordStore(of object: NSManagedObject) {
    if storeNumber != nil || !object.flags.contains(.registered) { areOfOneStore = false }
    storeNumber = object.storeNumber
  }

  private mutating func find(_ layout: RowLayout) {
    last = layout
    if let known = places[layout.index] {
      place = known
    } else {
      place = counts.count
      places[layout.index] = place
      counts.append((layout, 0))
    }
  }
}
