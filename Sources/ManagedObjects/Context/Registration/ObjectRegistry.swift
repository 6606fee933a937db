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

  /// The same, for a caller that holds the lock.
  func removeLocked(_ object: NSManagedObject) {
    unsafe knownTable(object.layout.rootIndex, object.storeNumber)?.remove(object.address, for: object.key)
  }

  /// Gives objects of no store keys of a store.
  func move(_ objects: [NSManagedObject], to keys: ContiguousArray<Int64>, storeNumber: UInt16) {
    lock.withLock {
      let movesAll = areAll(objects)
      if movesAll, let first = objects.first { knownTable(first.layout.rootIndex, first.storeNumber)?.removeAll() }
      var move: Move?
      for (object, key) in zip(objects, keys) {
        let former = object.storeNumber
        if move?.rootIndex != object.layout.rootIndex || move?.former != former {
          let rootIndex = object.layout.rootIndex
          move = Move(
            rootIndex: rootIndex, former: former, source: table(rootIndex, former),
            target: table(rootIndex, storeNumber))
          move?.target.reserve(objects.count)
        }
        if !movesAll { unsafe move?.source.remove(object.address, for: object.key) }
        object.key = key
        object.storeNumber = storeNumber
        unsafe move?.target.set(object.address, for: key)
      }
    }
  }

  /// Whether objects are all that one table has: it is emptied then rather than searched for each.
  private func areAll(_ objects: [NSManagedObject]) -> Bool {
    guard let first = objects.first else { return false }
    let (rootIndex, storeNumber) = (first.layout.rootIndex, first.storeNumber)
    guard knownTable(rootIndex, storeNumber)?.count == objects.count else { return false }
    return objects.allSatisfy {
      $0.layout.rootIndex == rootIndex && $0.storeNumber == storeNumber && $0.flags.contains(.registered)
    }
  }

  /// From which table to which one objects of one root go.
  private struct Move {
    let rootIndex: Int
    let former: UInt16
    let source: ObjectTable
    let target: ObjectTable
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
