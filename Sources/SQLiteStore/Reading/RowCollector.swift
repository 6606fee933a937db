import ObjectRows
import SQLiteDriver

/// Collects the rows of a statement on pages, with one open page for each entity.
///
/// The first pages are small, so that fetching a few objects takes little memory.
struct RowCollector {
  private let plan: ReadPlan
  private let reader: RowReader
  private let mostRows: Int
  private let monitor: (any ReadMonitor)?
  /// The number of rows that the monitor knows.
  private var monitoredCount = 0
  /// The open page of the plan's own entity, usually the only one.
  private var openPage: OpenPage?
  /// The open pages of subentities, created when their rows appear.
  private var otherOpenPages: ContiguousArray<OpenPage?> = []
  private var nextCapacity: Int
  private var present: PresentPage?
  private var rows = FetchedRows()
  /// The key of the last row, as long as the keys ascend.
  private var lastKey: Int64? = Int64.min

  private struct OpenPage {
    let page: RowPage
    let number: Int32
  }

  /// The page of the last row, which is nearly always that of the next one.
  ///
  /// It holds no references: the fetched pages and the plan retain what it points to.
  @safe private struct PresentPage {
    let entityNumber: Int64
    let layoutIndex: Int32
    let number: Int32
    var room: Int
    let page: Unmanaged<RowPage>
    let entity: Unmanaged<EntityRead>

    init(_ open: OpenPage, _ entity: EntityRead) {
      (entityNumber, layoutIndex, number) = (entity.number, Int32(entity.layout.index), open.number)
      room = open.page.capacity - open.page.count
      unsafe page = unsafe .passUnretained(open.page)
      unsafe self.entity = unsafe .passUnretained(entity)
    }
  }

  /// Creates a collector for rows of a plan.
  ///
  /// - Parameters:
  ///   - atMost: The maximum number of rows, if it is known.
  ///   - monitor: Counts the rows, each time that a page is full.
  init(
    _ plan: ReadPlan, _ reader: RowReader, atMost: Int? = nil, monitor: (any ReadMonitor)? = nil
  ) {
    self.plan = plan
    self.reader = reader
    self.monitor = monitor
    mostRows = atMost ?? Int.max
    nextCapacity = atMost == nil ? Limits.rowsOfFirstPage : Limits.rowsOfPage
  }

  /// The collected rows.
  var fetched: FetchedRows {
    var fetched = rows
    fetched.keysAscend = lastKey != nil
    return fetched
  }

  /// Reads a statement to its end.
  mutating func collect(_ statement: inout Statement) throws {
    try statement.readRows { row in _ = take(row) }
  }

  /// Adds a row to a page.
  ///
  /// Returns its key, or nil if the row's entity is not read.
  @inline(__always)
  mutating func take(_ row: borrowing FunctionArguments) -> RowKey? {
    let number = row.int64(at: 0)
    if present?.entityNumber != number || present?.room == 0 { turn(to: number) }
    guard let present else { return nil }
    self.present?.room -= 1
    let key = row.int64(at: 1)
    if let lastKey { self.lastKey = key > lastKey ? key : nil }
    let target = unsafe present.page._withUnsafeGuaranteedRef { page in
      let target = page.appendRow(key: key, version: row.int64(at: 2))
      unsafe present.entity._withUnsafeGuaranteedRef {
        reader.fill(target, on: page, from: row, $0)
      }
      return target
    }
    rows.rows.append(FetchedRow(row: target, page: present.number))
    return RowKey(key: key, layoutIndex: present.layoutIndex)
  }

  /// Finds or opens the page for rows of an entity.
  @inline(never)
  private mutating func turn(to number: Int64) {
    let place = plan.place(ofEntity: number)
    present = place < 0 ? nil : PresentPage(openPage(for: place), plan.entities[place])
  }

  private mutating func openPage(for place: Int) -> OpenPage {
    if let open = knownPage(for: place), !open.page.isFull { return open }
    if let monitor { reportRows(to: monitor) }
    let capacity = max(1, min(nextCapacity, mostRows - rows.rows.count))
    let page = RowPage(layout: plan.entities[place].layout, capacity: capacity)
    nextCapacity = min(nextCapacity * Limits.pageGrowth, Limits.rowsOfPage)
    let open = OpenPage(page: page, number: Int32(rows.pages.count))
    rows.pages.append(page)
    keep(open, for: place)
    return open
  }

  private mutating func reportRows(to monitor: any ReadMonitor) {
    monitor.add(rows.rows.count - monitoredCount)
    monitoredCount = rows.rows.count
  }

  private func knownPage(for place: Int) -> OpenPage? {
    if place == 0 { return openPage }
    return otherOpenPages.isEmpty ? nil : otherOpenPages[place - 1]
  }

  private mutating func keep(_ open: OpenPage, for place: Int) {
    guard place > 0 else { return openPage = open }
    if otherOpenPages.isEmpty {
      otherOpenPages = ContiguousArray(repeating: nil, count: plan.entities.count - 1)
    }
    otherOpenPages[place - 1] = open
  }
}
