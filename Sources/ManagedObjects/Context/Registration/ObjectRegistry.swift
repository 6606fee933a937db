import CObjectReferences
import ObjectRows

/// Which objects a context has: one for each row, found by store, most distant ancestor's entity and key.
///
/// Objects are held weakly. Each leaves from its deinitialiser; until then its memory is there, and under the lock
/// `swift_tryRetain` tells whether it can still be had.
// Sendable: guarded by `lock`.
@safe
final class ObjectRegistry: @unchecked Sendable {
  let lock = RegistrationLock.next()
  /// By the number of the store, objects of no store first; then by the index of the root's layout.
  private var tables: [[ObjectTable?]] = []

  /// The object of a row.
  func object(_ key: Int64, rootIndex: Int, storeNumber: UInt16) -> NSManagedObject? {
    lock.withLock { knownTable(rootIndex, storeNumber)?.retainedObject(key) }
  }

  /// Makes an object the one of its key, and has it leave when it goes.
  func register(_ object: NSManagedObject) {
    object.flags = object.flags.union(.registered).naming(lock)
    lock.withLock { unsafe table(object.layout.rootIndex, object.storeNumber).set(object.address, for: object.key) }
  }

  /// Lets somebody work with the objects of one root in one store, under the lock.
  ///
  /// Nothing may be released and no code of applications may run meanwhile.
  func withTable(_ rootIndex: Int, _ storeNumber: UInt16, _ body: (ObjectTable) -> Void) {
    lock.withLock { body(table(rootIndex, storeNumber)) }
  }

  /// Takes an object out; nothing happens where it is not in.
  func remove(_ object: NSManagedObject) {
    lock.withLock { removeLocked(object) }
  }

  /// Takes many objects out.
  func remove(_ objects: ContiguousArray<NSManagedObject>) {
    lock.withLock { objects.forEachHeld { removeLocked($0) } }
  }

  /// The same, for a caller that holds the lock.
  func removeLocked(_ object: NSManagedObject) {
    unsafe knownTable(object.layout.rootIndex, object.storeNumber)?.remove(object.address, for: object.key)
  }

  /// Gives objects of no store keys of a store.
  ///
  /// - Parameter areOfOneTable: Whether all of them were registered under the same root and store.
  func move(
    _ objects: ContiguousArray<NSManagedObject>, to keys: ContiguousArray<Int64>, storeNumber: UInt16,
    areOfOneTable: Bool
  ) {
    lock.withLock {
      let movesAll = areOfOneTable && areAll(objects)
      if movesAll, let first = objects.first { knownTable(first.layout.rootIndex, first.storeNumber)?.removeAll() }
      var move: Move?
      var next = 0
      objects.forEachHeld { object in
        let former = object.storeNumber
        if move?.former != former || !object.hasLayout(move?.layout) {
          move = Move(object.layout, former, table(_:_:), to: storeNumber)
          move?.target.reserve(objects.count)
        }
        if !movesAll { unsafe move?.source.remove(object.address, for: object.key) }
        object.key = keys[next]
        object.storeNumber = storeNumber
        unsafe move?.target.set(object.address, for: keys[next])
        next += 1
      }
    }
  }

  /// Whether objects of one table are all that it has: it is emptied then rather than searched for each.
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

    init(_ layout: RowLayout, _ former: UInt16, _ table: (Int, UInt16) -> ObjectTable, to storeNumber: UInt16) {
      self.layout = layout
      self.former = former
      source = table(layout.rootIndex, former)
      target = table(layout.rootIndex, storeNumber)
    }
  }

  /// All objects, in the order of their stores, roots and keys; unsaved ones last, in the order of their creation.
  var objects: [NSManagedObject] {
    var found: [NSManagedObject] = []
    lock.withLock {
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
    lock.withLock { table(rootIndex, storeNumber).reserve(count) }
  }

  /// Lets go of all objects, and gives those that still live, in no order that means anything.
  ///
  /// They have no context from then on.
  func removeAll() -> [NSManagedObject] {
    var survivors: [NSManagedObject] = []
    lock.withLock {
      for table in tables.joined() {
        unsafe table?.forEach { _, address in
          if let survivor = unsafe NSManagedObject.retained(address) {
            // It is held, so that its deinitialiser, which would ask for the lock, cannot have begun.
            survivor.flags.remove(.registered)
            survivors.append(survivor)
          }
          unsafe NSManagedObject.unretained(address).context = nil
        }
      }
      tables = []
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
