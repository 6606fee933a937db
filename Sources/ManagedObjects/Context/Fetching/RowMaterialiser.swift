import ObjectRows

extension NSManagedObjectContext {
  /// The objects of rows, one for each row, in the order of the rows.
  ///
  /// Faults that the context knows take over their rows; the values of other objects stay as they are.
  func materialise(_ fetched: FetchedRows, storeNumber: UInt16) -> [NSManagedObject] {
    guard let first = fetched.rows.first else { return [] }
    let rootIndex = fetched.pages[Int(first.page)].layout.rootIndex
    registry.reserve(fetched.rows.count, rootIndex: rootIndex, storeNumber: storeNumber)
    let materialiser = RowMaterialiser(
      context: self, fetched: fetched, rootIndex: rootIndex, storeNumber: storeNumber)
    let objects = materialiser.objects()
    retained?.append(contentsOf: objects)
    return objects
  }
}

/// Makes objects of the rows of one store.
///
/// Objects that exist are found, the others made, and these registered: in this order for a block of rows at a time,
/// since making an object runs code of applications, which must not happen under the registry's lock.
struct RowMaterialiser {
  let context: NSManagedObjectContext
  let fetched: FetchedRows
  let rootIndex: Int
  let storeNumber: UInt16

  private static let rowsInBlock = 256

  func objects() -> [NSManagedObject] {
    let count = fetched.rows.count
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(count)
    var known = ContiguousArray<NSManagedObject?>(repeating: nil, count: min(Self.rowsInBlock, count))
    var start = 0
    while start < count {
      let block = start..<min(start + Self.rowsInBlock, count)
      find(block, &known)
      append(block, known, to: &objects)
      register(block, known, in: &objects)
      start = block.upperBound
    }
    return objects
  }

  private func find(_ block: Range<Int>, _ known: inout ContiguousArray<NSManagedObject?>) {
    context.registry.withTable(rootIndex, storeNumber) { table in
      for (place, index) in block.enumerated() {
        known[place] = table.count == 0 ? nil : table.retainedObject(fetched.rows[index].row.key)
      }
    }
  }

  private func append(
    _ block: Range<Int>, _ known: ContiguousArray<NSManagedObject?>, to objects: inout [NSManagedObject]
  ) {
    var page: Int32 = -1
    var maker: Maker?
    for (place, index) in block.enumerated() {
      let row = fetched.rows[index]
      if row.page != page {
        page = row.page
        maker = maker.next(fetched.pages[Int(page)])
      }
      guard let maker else { continue }
      if let object = known[place] {
        if object.isFault, object.layout === maker.page.layout { object.attach(row.row, on: maker.page) }
        objects.append(object)
      } else {
        objects.append(
          NSManagedObject.materialise(
            maker.blueprint, row: row.row, owner: maker.page, key: row.row.key, storeNumber: storeNumber,
            in: context))
      }
    }
  }

  /// Registers what was made.
  ///
  /// A row that came twice has one object: the first.
  private func register(
    _ block: Range<Int>, _ known: ContiguousArray<NSManagedObject?>, in objects: inout [NSManagedObject]
  ) {
    // They go after the lock does, since an object that goes takes the lock.
    var superfluous: [NSManagedObject] = []
    context.registry.withTable(rootIndex, storeNumber) { table in
      for (place, index) in block.enumerated() where known[place] == nil {
        let object = objects[index]
        if let first = table.retainedObject(object.key) {
          superfluous.append(object)
          objects[index] = first
        } else {
          unsafe table.set(object.address, for: object.key)
        }
      }
    }
  }

  /// What the objects of one page have in common.
  fileprivate struct Maker {
    let page: RowPage
    let blueprint: ObjectBlueprint
  }
}

extension RowMaterialiser.Maker? {
  fileprivate func next(_ page: RowPage) -> RowMaterialiser.Maker {
    if let self, self.page.layout === page.layout {
      return RowMaterialiser.Maker(page: page, blueprint: self.blueprint)
    }
    return RowMaterialiser.Maker(page: page, blueprint: ObjectBlueprints.blueprint(of: page.layout.entity))
  }
}
