import CObjectReferences
import ObjectRows
import Synchronization

/// Which objects a context has: one for each row, found by store, most distant ancestor's entity
/// and key.
///
/// Objects are held weakly. Each leaves from its deinitialiser; until then its memory is there, and
/// under the lock `swift_tryRetain` tells whether it can still be had.
///
/// Objects reach their context through the registry, which they hold and which the context holds.
/// When the context goes it closes the registry, which is one store, however many objects there
/// are: they have no context then. An object that goes afterwards finds nothing to leave.
// Sendable: `tables` is changed and looked at under the lock; the objects that need a farewell are
// noted on the context's queue.
@safe
final class ObjectRegistry: @unchecked Sendable {
  private let mutex = Mutex(())
  /// The context, which closes the registry before it goes.
  private let home = unsafe Atomic<UnsafeRawPointer?>(nil)
  /// By the number of the store, objects of no store first; then by the index of the root's layout.
  @safe @exclusivity(unchecked) private var tables: [[ObjectTable?]] = []
  /// The table that an object left last, which is mostly the one that the next object leaves;
  /// `tables` holds it.
  @safe @exclusivity(unchecked) private var leaving: Leaving?

  @safe private struct Leaving {
    let rootIndex: Int
    let storeNumber: UInt16
    let table: Unmanaged<ObjectTable>
  }

  /// The context of the objects, or nil after its end.
  ///
  /// An object may be asked who it is on any thread, while its context goes on another: until
  /// `close` has had the lock, the context's memory is there.
  var context: NSManagedObjectContext? {
    if unsafe home.load(ordering: .relaxed) == nil { return nil }
    return withLock {
      guard let home = unsafe home.load(ordering: .relaxed),
        let held = unsafe swift_tryRetain(UnsafeMutableRawPointer(mutating: home))
      else { return nil }
      return unsafe Unmanaged<NSManagedObjectContext>.fromOpaque(held).takeRetainedValue()
    }
  }

  /// Makes a context that of the objects.
  func open(for context: NSManagedObjectContext) {
    unsafe home.store(
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

  /// Makes an object the one of its key, and has it leave when it goes.
  func register(_ object: NSManagedObject) {
    object.flags.insert(.registered)
    let needsFarewell = !object.staysAsItIs
    withLock {
      let table = table(object.layout.rootIndex, object.storeNumber)
      unsafe table.set(object.address, for: object.key)
      if needsFarewell { table.needsFarewell = true }
    }
  }

  /// Lets somebody work with the objects of one root in one store, under the lock.
  ///
  /// Nothing may be released and no code of applications may run meanwhile.
  func withTable(_ rootIndex: Int, _ storeNumber: UInt16, _ body: (ObjectTable) -> Void) {
    withLock { body(table(rootIndex, storeNumber)) }
  }

  /// Takes an object out; nothing happens where it is not in, or where the context is gone.
  ///
  /// Called on the context's queue, or on any thread when the object goes.
  func remove(_ object: NSManagedObject) {
    if unsafe home.load(ordering: .acquiring) == nil { return }
    withLock { removeLocked(object) }
  }

  /// Takes many objects out.
  func remove(_ objects: ContiguousArray<NSManagedObject>) {
    withLock { objects.forEachHeld { removeLocked($0) } }
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

  /// Gives objects of no store keys of a store.
  ///
  /// - Parameter areOfOneTable: Whether all of them were registered under the same root and store.
  func move(
    _ objects: ContiguousArray<NSManagedObject>, to keys: ContiguousArray<Int64>,
    storeNumber: UInt16,
    areOfOneTable: Bool
  ) {
    withLock {
      let movesAll = areOfOneTable && areAll(objects)
      if movesAll, let first = objects.first {
        knownTable(first.layout.rootIndex, first.storeNumber)?.removeAll()
      }
      var move: Move?
      var next = 0
      objects.forEachHeld { object in
        let former = object.storeNumber
        if move?.former != former || !object.hasLayout(move?.layout) {
          move = Move(object.layout, former, table(_:_:), to: storeNumber)
          move?.target.reserve(objects.count)
          move?.target.needsFarewell = true
        }
        if !movesAll { unsafe move?.source.remove(object.address, for: object.key) }
        object.key = keys[next]
        object.storeNumber = storeNumber
        unsafe move?.target.set(object.address, for: keys[next])
        next += 1
      }
    }
  }

  /// Whether objects of one table are all that it has: it is emptied then rather than searched for
  /// each.
  private func areAll(_ objects: ContiguousArray<NSManagedObject>) -> Bool {
    guard let first = objects.first else { return false }
    return knownTable(first.layout.rootIndex, first.storeNumber)?.count == objects.count
  }

  /// From which table to which one objects of one entity go.
  private struct Move {
    let layout: RowLayout
    let former: UInt16
    let source: ObjectTable
    let target: ObjectTable

    init(
      _ layout: RowLayout, _ former: UInt16, _ table: (Int, UInt16) -> ObjectTable,
      to storeNumber: UInt16
    ) {
      self.layout = layout
      self.former = former
      source = table(layout.rootIndex, former)
      target = table(layout.rootIndex, storeNumber)
    }
  }

  /// How often somebody looked at all objects, which takes the longer the more there are.
  @safe private(set) var walkCount = 0

  /// All objects, in the order of their stores, roots and keys; unsaved ones last, in the order of
  /// their creation.
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

  /// Makes room for objects that come in now.
  func reserve(_ count: Int, rootIndex: Int, storeNumber: UInt16) {
    withLock { table(rootIndex, storeNumber).reserve(count) }
  }

  // MARK: Reset

  /// Whether faults of fetch batches may be registered whose rows were not read.
  ///
  /// It is looked at on the context's queue alone.
  @safe private(set) var mayHoldBatchFaults = false

  /// Notes that faults of a fetch batch are registered.
  func expectBatchFaults() { mayHoldBatchFaults = true }

  /// Takes out all objects but unread faults of fetch batches.
  ///
  /// It gives the ones that still live, in the order of `objects`.
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

  // MARK: The end

  /// Notes that an object of the context has something to let go of when the context goes, such as
  /// relationships that it followed.
  ///
  /// Tables come and go on the context's queue alone, where this is called too.
  func expectFarewell(of object: NSManagedObject) {
    knownTable(object.layout.rootIndex, object.storeNumber)?.needsFarewell = true
  }

  /// Lets go of all objects, which have no context from then on.
  ///
  /// It gives those that still live, in no order that means anything, of the tables in which one
  /// may have something to let go of.
  func close() -> [NSManagedObject] {
    var survivors: [NSManagedObject] = []
    var closed: [[ObjectTable?]] = []
    withLock {
      swap(&closed, &tables)
      leaving = nil
      for table in closed.joined() where table?.needsFarewell ?? false {
        unsafe table?.forEach { _, address in
          if let survivor = unsafe NSManagedObject.retained(address) { survivors.append(survivor) }
        }
      }
      // Last: an object that finds no context does not wait for the lock, and its memory is gone at
      // once.
      unsafe home.store(nil, ordering: .releasing)
    }
    return survivors
  }

  // MARK: Tables

  private func knownTable(_ rootIndex: Int, _ storeNumber: UInt16) -> ObjectTable? {
    let row = Int(storeNumber &+ 1)
    guard row < tables.count, rootIndex < tables[row].count else { return nil }
    return tables[row][rootIndex]
  }

  private func table(_ rootIndex: Int, _ storeNumber: UInt16) -> ObjectTable {
    if let table = knownTable(rootIndex, storeNumber) { return table }
    let row = Int(storeNumber &+ 1)
    while tables.count <= row { tables.append([]) }
    while tables[row].count <= rootIndex { tables[row].append(nil) }
    let table = ObjectTable()
    tables[row][rootIndex] = table
    return table
  }
}
