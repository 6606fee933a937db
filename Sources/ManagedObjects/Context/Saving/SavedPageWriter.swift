import ObjectRows

/// Writes saved rows to pages.
struct SavedPageWriter {
  private static let rowsOnPage = 256

  private let plans: SavePlans
  /// The number of rows still to come, by layout index.
  private var remaining: [Int]
  private var openPages: [RowPage?]
  private var pages: [(page: RowPage, isShared: Bool)] = []

  // The layout of the last object. Consecutive objects mostly have the same entity.
  private var layout: RowLayout?
  private var page: RowPage?
  /// The slots that no store persists.
  private var transient: [Int] = []

  init(plans: SavePlans, _ lists: ContiguousArray<NSManagedObject>...) {
    self.plans = plans
    remaining = Array(repeating: 0, count: plans.count)
    openPages = Array(repeating: nil, count: plans.count)
    for list in lists { list.forEachHeld { remaining[$0.layout.index] += 1 } }
  }

  /// Makes an object unchanged, with its row on a page, in the store's new version and without
  /// transient values.
  ///
  /// If the object owns its row and the entity has no transient properties, the row is moved to the
  /// page. Otherwise, it is copied.
  mutating func write(_ object: NSManagedObject, version: Int64) {
    if !object.hasLayout(layout) || page?.isFull ?? true { advance(to: object.layout) }
    guard let layout, let page else { return }
    let own = transient.isEmpty ? object.takeOwnRow() : nil
    let row = own.map(page.appendRow(moving:)) ?? page.appendRow(copying: object.row)
    row.key = object.key
    row.version = version
    for ordinal in transient { layout.setNil(layout.slots[ordinal], in: row) }
    object.didSave(as: row, on: page)
  }

  /// Adds the rows to the cache, except those with values that the store computes.
  func record(in open: OpenStore) {
    for written in pages where written.isShared { open.cacheSaved(written.page) }
  }

  private mutating func advance(to layout: RowLayout) {
    let plan = plans.plan(of: layout)
    if openPages[layout.index]?.isFull ?? true {
      let wanted = min(Self.rowsOnPage, max(1, remaining[layout.index]))
      remaining[layout.index] -= wanted
      let page = RowPage(layout: layout, capacity: wanted)
      openPages[layout.index] = page
      pages.append((page, !plan.hasDerivedAttributes))
    }
    self.layout = layout
    page = openPages[layout.index]
    transient = plan.transient
  }
}
