import CObjectReferences
import ObjectRows
import Synchronization

/// The objects of a context, one for each row, found by store, root entity and key.
///
/// Objects are held weakly. Each removes itself in its deinitializer. Until then its memory is
/// valid, and under the lock `swift_tryRetain` determines if it can still be retained.
///
/// Objects reach their context through the registry. The context closes the registry at its end,
/// after which the objects have no context.
// Sendable: `tables` is accessed under the lock. `expectDetaching` is called on the context's queue
// only.
@safe
final class ObjectRegistry: @unchecked Sendable {
  private let mutex = Mutex(())
  /// Informs incremental stores which of their objects are registered.
  let notifier = RegistrationNotifier()
  /// The context, which closes the registry before its end.
  private let contextPointer = unsafe Atomic<UnsafeRawPointer?>(nil)
  /// The tables by store number, then by the layout index of the root entity.
  ///
  /// The first ones contain the objects of no store.
  @safe @exclusivity(unchecked) private var tables: [[ObjectTable?]] = []
  /// The table from which an object was removed last.
  ///
  /// The next object is mostly removed from the same table. `tables` retains it.
  @safe @exclusivity(unchecked) private var leaving: Leaving?

  @safe private struct Leaving {
    let rootIndex: Int
    let storeNumber: UInt16
    let table: Unmanaged<ObjectTable>
  }

  /// The context of the objects, or nil after its end.
  ///
  /// Any thread may ask an object for its identity while the context is being deallocated. The
  /// context's memory stays valid until `close` has had the lock.
  var context: NSManagedObjectContext? {
    if unsafe contextPointer.load(ordering: .relaxed) == nil { return nil }
    return withLock {
      guard let contextPointer = unsafe contextPointer.load(ordering: .relaxed),
        let held = unsafe swift_tryRetain(UnsafeMutableRawPointer(mutating: contextPointer))
      else { return nil }
      return unsafe Unmanaged<NSManagedObjectContext>.fromOpaque(held).takeRetainedValue()
    }
  }

  /// Opens the registry for a context.
  func open(for context: NSManagedObjectContext) {
    unsafe contextPointer.store(
      UnsafeRawPointer(Unmanaged.passUnretained(context).toOpaque()), ordering: .releasing)
  }

  @inline(__always)
  private func withLock<Result>(_ body: () -> Result) -> Result {
    mutex.withLock { _ in body() }
  }

  /// The object of a row.
  func object(_ key: Int64, rootIndex: Int, storeNumber: UInt16) -> NSManagedObject? {
    withLock { knownTable(rootIndex, storeNumber)?.retainedObject(key) }
  }

  /// Registers an object under its key, and makes it remove itself in its deinitializer.
  func register(_ object: NSManagedObject) {
    object.flags.insert(.registered)
    let needsDetaching = !object.needsNoDetaching
    withLock {
      let table = table(object.layout.rootIndex, object.storeNumber)
      unsafe table.set(object.address, for: object.key)
      if needsDetaching { table.needsDetaching = true }
    }
  }

  /// Calls a closure with the table of one root in one store, under the lock.
  ///
  /// The closure must release nothing and run no application code.
  func withTable(_ rootIndex: Int, _ storeNumber: UInt16, _ body: (ObjectTable) -> Void) {
    withLock { body(table(rootIndex, storeNumber)) }
  }

  /// Removes an object.
  ///
  /// The method does nothing if the object is not registered or the context is gone. It is called
  /// on the context's queue, or on any thread from the object's deinitializer.
  func remove(_ object: NSManagedObject) {
    if unsafe contextPointer.load(ordering: .acquiring) == nil { return }
    withLock { removeLocked(object) }
    notifier.remove(object)
  }

  /// Removes many objects.
  func remove(_ objects: ContiguousArray<NSManagedObject>) {
    withLock { objects.forEachHeld { removeLocked($0) } }
    objects.forEachHeld { notifier.remove($0) }
  }

  private func removeLocked(_ object: NSManagedObject) {
    let (rootIndex, storeNumber) = (object.rootIndex, object.storeNumber)
    if leaving?.rootIndex != rootIndex || leaving?.storeNumber != storeNumber {
      guard let table = knownTable(rootIndex, storeNumber) else { return }
      leaving = unsafe Leaving(
        rootIndex: rootIndex, storeNumber: storeNumber, table: .passUnretained(table))
    }
    guard let leaving else { return }
    unsafe leaving.table._withUnsafeGuaranteedRef {
      unsafe $0.remove(object.address, for: object.key)
    }
  }

  /// Moves objects to keys of a store, or back to keys of no store.
  ///
  /// - Parameters:
  ///   - counts: The numbers of objects by entity, for which capacity is reserved.
  ///   - areOfOneStore: Whether all of them were registered with the same store number.
  func move(
    _ objects: ContiguousArray<NSManagedObject>, to keys: ContiguousArray<Int64>,
    storeNumber: UInt16, counts: [(layout: RowLayout, count: Int)], areOfOneStore: Bool
  ) {
    withLock {
      for (layout, count) in counts { table(layout.rootIndex, storeNumber).reserve(count) }
      let movesAll = areOfOneStore && removeAll(ifOnly: objects)
      var moves = Moves()
      var next = 0
      objects.forEachHeld { object in
        let move = moves.move(of: object) { layout, former in
          let target = table(layout.rootIndex, storeNumber)
          target.needsDetaching = true
          return Move(
            layout: layout, former: former, source: table(layout.rootIndex, former), target: target)
        }
        if !movesAll { unsafe move.source.remove(object.address, for: object.key) }
        object.key = keys[next]
        object.storeNumber = storeNumber
        unsafe move.target.set(object.address, for: keys[next])
        next += 1
      }
    }
  }

  /// Removes objects if they are the only ones of their store; returns whether they are.
  ///
  /// The store's tables are emptied without searching for each object.
  private func removeAll(ifOnly objects: ContiguousArray<NSManagedObject>) -> Bool {
    guard let number = objects.first?.storeNumber else { return false }
    let place = Int(number &+ 1)
    guard place < tables.count,
      tables[place].reduce(0, { $0 + ($1?.count ?? 0) }) == objects.count
    else { return false }
    for table in tables[place] where table?.count ?? 0 > 0 { table?.removeAll() }
    return true
  }

  /// The source and target tables of objects of one entity.
  private struct Move {
    let layout: RowLayout
    let former: UInt16
    let source: ObjectTable
    let target: ObjectTable
  }

  /// The tables of all entities of moved objects.
  ///
  /// Adjacent objects mostly have the same entity, or two that alternate.
  private struct Moves {
    private var known: [Move] = []
    private var last = 0

    /// The tables of an object, found or made.
    @inline(__always)
    mutating func move(
      of object: NSManagedObject, _ make: (RowLayout, UInt16) -> Move
    ) -> Move {
      let former = object.storeNumber
      if last < known.count, known[last].former == former, object.hasLayout(known[last].layout) {
        return known[last]
      }
      last =
        known.firstIndex { $0.former == former && object.hasLayout($0.layout) } ?? known.count
      if last == known.count { known.append(make(object.layout, former)) }
      return known[last]
    }
  }

  /// The number of walks over all objects.
  ///
  /// Their cost grows with the number of objects.
  @safe private(set) var walkCount = 0

  /// All objects, ordered by store, root and key, with unsaved ones last, in the order of their
  /// creation.
  var objects: [NSManagedObject] {
    walkCount += 1
    var found: [NSManagedObject] = []
    withLock {
      for table in tables.joined() {
        unsafe table?.forEach { _, address in
          if let object = unsafe NSManagedObject.retained(address) { found.append(object) }
        }
      }
    }
    return found.sorted(by: NSManagedObject.precedesInContext)
  }

  /// The objects with private states, which may have relationships in memory, in unspecified order.
  var statefulObjects: [NSManagedObject] {
    walkCount += 1
    var found: [NSManagedObject] = []
    withLock {
      for table in tables.joined() where table?.needsDetaching ?? false {
        unsafe table?.forEach { _, address in
          if unsafe NSManagedObject.isStateful(at: address),
            let object = unsafe NSManagedObject.retained(address)
          {
            found.append(object)
          }
        }
      }
    }
    return found
  }

  /// Reserves capacity for objects that will be registered.
  func reserve(_ count: Int, rootIndex: Int, storeNumber: UInt16) {
    withLock { table(rootIndex, storeNumber).reserve(count) }
  }

  // MARK: Reset

  /// Whether faults of unread fetch batches may be registered.
  ///
  /// Used on the context's queue only.
  @safe private(set) var mayHoldBatchFaults = false

  /// Records that faults of a fetch batch are registered.
  func expectBatchFaults() { mayHoldBatchFaults = true }

  /// Removes all objects except unread faults of fetch batches.
  ///
  /// Returns the removed objects that are still alive, in the order of `objects`.
  func releaseAllButBatchFaults() -> [NSManagedObject] {
    var released: [NSManagedObject] = []
    var keepsAny = false
    withLock {
      for table in tables.joined() {
        unsafe table?.forEach { _, address in
          if unsafe NSManagedObject.isBatchFault(at: address) {
            keepsAny = true
          } else if let object = unsafe NSManagedObject.retained(address) {
            released.append(object)
          }
        }
      }
    }
    mayHoldBatchFaults = keepsAny
    remove(ContiguousArray(released))
    return released.sorted(by: NSManagedObject.precedesInContext)
  }

  // MARK: Ending

  /// Records that an object needs detaching at the context's end, such as from relationships that
  /// it followed.
  ///
  /// No lock is needed: this method is called on the context's queue, and only that queue creates
  /// and removes tables.
  func expectDetaching(of object: NSManagedObject) {
    knownTable(object.layout.rootIndex, object.storeNumber)?.needsDetaching = true
  }

  /// Removes all objects, which have no context afterwards.
  ///
  /// Returns the live objects of tables in which an object may need detaching, in unspecified
  /// order.
  func close() -> [NSManagedObject] {
    var survivors: [NSManagedObject] = []
    var closed: [[ObjectTable?]] = []
    withLock {
      swap(&closed, &tables)
      leaving = nil
      for table in closed.joined() where table?.needsDetaching ?? false {
        unsafe table?.forEach { _, address in
          if let survivor = unsafe NSManagedObject.retained(address) { survivors.append(survivor) }
        }
      }
      // This comes last, because an object that finds no context does not wait for the lock, and
      // its memory is freed at once.
      unsafe contextPointer.store(nil, ordering: .releasing)
    }
    notifier.removeAll()
    return survivors
  }

  // MARK: Tables

  private func knownTable(_ rootIndex: Int, _ storeNumber: UInt16) -> ObjectTable? {
    let place = Int(storeNumber &+ 1)
    guard place < tables.count, rootIndex < tables[place].count else { return nil }
    return tables[place][rootIndex]
  }

  private func table(_ rootIndex: Int, _ storeNumber: UInt16) -> ObjectTable {
    if let table = knownTable(rootIndex, storeNumber) { return table }
    let place = Int(storeNumber &+ 1)
    while tables.count <= place { tables.append([]) }
    while tables[place].count <= rootIndex { tables[place].append(nil) }
    let table = ObjectTable()
    tables[place][rootIndex] = table
    return table
  }
}
