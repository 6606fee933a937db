import ObjectRows

extension NSManagedObjectContext {
  /// The objects for rows, in the order of the rows.
  ///
  /// Registered faults take their rows. Other registered objects keep their values.
  ///
  /// - Parameter wantsValues: Whether new objects get their values at once, if their class has no
  ///   hooks that would notice.
  func materialize(_ fetched: FetchedRows, storeNumber: UInt16, wantsValues: Bool)
    -> [NSManagedObject]
  {
    guard let materializer = materializer(fetched, storeNumber, wantsValues) else { return [] }
    let objects = materializer.objects()
    retained?.formUnion(objects)
    return objects
  }

  /// The objects for rows, in a buffer from which the caller takes them.
  func materializeToBuffer(_ fetched: FetchedRows, storeNumber: UInt16) -> ObjectBuffer {
    guard let materializer = materializer(fetched, storeNumber, false) else {
      return ObjectBuffer(capacity: 0)
    }
    var buffer = ObjectBuffer(capacity: fetched.rows.count)
    materializer.fill(&buffer)
    if retained != nil { retained?.formUnion(buffer.all) }
    return buffer
  }

  private func materializer(
    _ fetched: FetchedRows, _ storeNumber: UInt16, _ wantsValues: Bool
  ) -> RowMaterializer? {
    guard let first = fetched.rows.first else { return nil }
    let rootIndex = fetched.pages[Int(first.page)].layout.rootIndex
    if fetched.rows.count > 1 {
      registry.reserve(fetched.rows.count, rootIndex: rootIndex, storeNumber: storeNumber)
    }
    return RowMaterializer(
      context: self, fetched: fetched, rootIndex: rootIndex, storeNumber: storeNumber,
      wantsValues: wantsValues)
  }
}

/// Creates the objects for the rows of one store.
///
/// For each block of rows it looks up existing objects, creates the missing ones, and registers
/// those. Creating an object may run application code, which must not happen under the registry's
/// lock.
struct RowMaterializer {
  let context: NSManagedObjectContext
  let fetched: FetchedRows
  let rootIndex: Int
  let storeNumber: UInt16
  let wantsValues: Bool

  /// Whether every page knows its store: see `needsNoDetaching`.
  let knowsStores: Bool

  private static let rowsInBlock = 256

  init(
    context: NSManagedObjectContext, fetched: FetchedRows, rootIndex: Int, storeNumber: UInt16,
    wantsValues: Bool
  ) {
    (self.context, self.fetched, self.rootIndex) = (context, fetched, rootIndex)
    (self.storeNumber, self.wantsValues) = (storeNumber, wantsValues)
    knowsStores = fetched.pages.allSatisfy { $0.storeIdentity != nil }
  }

  func objects() -> [NSManagedObject] {
    let count = fetched.rows.count
    if count == 1 { return [object()] }
    var buffer = ObjectBuffer(capacity: count)
    fill(&buffer)
    return buffer.take(0..<count)
  }

  /// Finds or creates the object of each row, and appends it to a buffer.
  func fill(_ objects: inout ObjectBuffer) {
    let count = fetched.rows.count
    var known = ContiguousArray<NSManagedObject?>(
      repeating: nil, count: min(Self.rowsInBlock, count))
    var start = 0
    var newObjects: Int? = 0
    while start < count {
      let block = start..<min(start + Self.rowsInBlock, count)
      newObjects = find(block, &known, besides: newObjects)
      append(block, known, to: &objects)
      register(block, known, in: &objects, besides: newObjects)
      newObjects = newObjects.map { $0 + block.count }
      start = block.upperBound
    }
  }

  /// The object of the only row.
  private func object() -> NSManagedObject {
    let row = fetched.rows[0]
    let page = fetched.pages[Int(row.page)]
    guard
      let known = context.registry.object(
        row.row.key, rootIndex: rootIndex, storeNumber: storeNumber)
    else {
      let made = maker(page).make(row.row, key: row.row.key)
      context.registry.register(made)
      return made
    }
    if known.isFault, known.layout === page.layout { known.attach(row.row, on: page) }
    return known
  }

  /// Finds the registered objects of a block's rows.
  ///
  /// No lookup is needed if the table has only the objects of earlier rows and the keys ascend.
  ///
  /// - Parameter newObjects: The number of objects created so far; nil after a lookup.
  /// - Returns: The same number; nil after a lookup.
  private func find(
    _ block: Range<Int>, _ known: inout ContiguousArray<NSManagedObject?>, besides newObjects: Int?
  ) -> Int? {
    var remaining = newObjects
    context.registry.withTable(rootIndex, storeNumber) { table in
      if let newObjects, table.count == newObjects, fetched.keysAscend || keysAscend(in: block) {
        return
      }
      remaining = nil
      for (place, index) in block.enumerated() {
        known[place] = table.retainedObject(fetched.rows[index].row.key)
      }
    }
    return remaining
  }

  private func keysAscend(in block: Range<Int>) -> Bool {
    var last = block.lowerBound == 0 ? Int64.min : fetched.rows[block.lowerBound - 1].row.key
    for index in block {
      let key = fetched.rows[index].row.key
      guard key > last else { return false }
      last = key
    }
    return true
  }

  private func append(
    _ block: Range<Int>, _ known: ContiguousArray<NSManagedObject?>, to objects: inout ObjectBuffer
  ) {
    var index = block.lowerBound
    while index < block.upperBound {
      let page = fetched.pages[Int(fetched.rows[index].page)]
      let maker = maker(page)
      let run = index..<endOfRun(index, in: block)
      maker.hold(for: run.count { known[$0 - block.lowerBound] == nil })
      for index in run {
        let row = fetched.rows[index].row
        if let object = known[index - block.lowerBound] {
          if object.isFault, object.layout === page.layout { object.attach(row, on: page) }
          objects.append(object)
        } else {
          objects.append(maker.makeHeld(row, key: row.key))
        }
      }
      index = run.upperBound
    }
  }

  /// The end of the run of rows that are on the same page.
  private func endOfRun(_ start: Int, in block: Range<Int>) -> Int {
    let number = fetched.rows[start].page
    var end = start + 1
    while end < block.upperBound, fetched.rows[end].page == number { end += 1 }
    return end
  }

  /// The factory for the objects of a page.
  private func maker(_ page: RowPage) -> _Materialization {
    let blueprint = page.layout.blueprint
    let isReady = wantsValues && !blueprint.hasHooks(blueprint.managedObjectClass)
    return .ofRows(page, storeNumber: storeNumber, isReady: isReady, in: context)
  }

  /// Registers the new objects.
  ///
  /// A row that occurs twice has one object, the first.
  private func register(
    _ block: Range<Int>, _ known: ContiguousArray<NSManagedObject?>, in objects: inout ObjectBuffer,
    besides newObjects: Int?
  ) {
    // These are released after the lock, because an object's deinitializer takes the lock.
    var surplus: [NSManagedObject] = []
    context.registry.withTable(rootIndex, storeNumber) { table in
      if !knowsStores { table.needsDetaching = true }
      if let newObjects, table.count == newObjects {
        for index in block {
          objects.withObject(index) { unsafe table.set($0.address, for: $0.key) }
        }
        return
      }
      for (place, index) in block.enumerated() where known[place] == nil {
        let object = objects[index]
        if let first = table.retainedObject(object.key) {
          surplus.append(object)
          objects.replace(index, with: first)
        } else {
          unsafe table.set(object.address, for: object.key)
        }
      }
    }
  }
}
