import ObjectRows
import SQLiteDriver

/// Puts the rows of a statement onto pages: those of one entity onto pages of its layout, one open at a time.
///
/// The first pages are small, so that fetching a few objects takes little memory.
struct RowCollector {
  private let plan: ReadPlan
  private let reader: RowReader
  private let mostRows: Int
  private var openPages: ContiguousArray<OpenPage?>
  private var nextCapacity: Int
  private(set) var fetched = FetchedRows()

  private struct OpenPage {
    let page: RowPage
    let number: Int32
  }

  /// - Parameter atMost: How many rows there can be, where that is known.
  init(_ plan: ReadPlan, _ reader: RowReader, atMost: Int? = nil) {
    self.plan = plan
    self.reader = reader
    mostRows = atMost ?? Int.max
    openPages = ContiguousArray(repeating: nil, count: plan.entities.count)
    nextCapacity = atMost == nil ? Limits.rowsOfFirstPage : Limits.rowsOfPage
  }

  /// Reads a statement to its end.
  ///
  /// - Parameter afterEach: Called with the statement's row once it is on a page.
  @inline(__always)
  mutating func collect(
    _ statement: inout Statement, afterEach: (borrowing Row, RowKey) -> Void = { _, _ in }
  ) throws(SQLiteError) {
    var hasRow = try statement.step()
    while hasRow {
      let place = plan.place(ofEntity: statement.row.int64(at: 0))
      hasRow = place < 0 ? try statement.step() : try fillPage(place, &statement, afterEach)
    }
  }

  /// Puts rows of one entity on a page until it is full or another entity's row comes.
  ///
  /// Returns false when there are no more rows.
  @inline(__always)
  private mutating func fillPage(
    _ place: Int, _ statement: inout Statement, _ afterEach: (borrowing Row, RowKey) -> Void
  ) throws(SQLiteError) -> Bool {
    let (page, number) = openPage(for: place)
    let (reader, entity) = (reader, plan.entities[place])
    let (layoutIndex, entityNumber) = (Int32(entity.layout.index), entity.number)
    repeat {
      let target = page.appendRow(key: statement.row.int64(at: 1), version: statement.row.int64(at: 2))
      reader.fill(target, from: statement.row, entity)
      fetched.rows.append(FetchedRow(row: target, page: number))
      afterEach(statement.row, RowKey(key: target.key, layoutIndex: layoutIndex))
      guard try statement.step() else { return false }
    } while !page.isFull && statement.row.int64(at: 0) == entityNumber
    return true
  }

  private mutating func openPage(for place: Int) -> (RowPage, Int32) {
    if let open = openPages[place], !open.page.isFull { return (open.page, open.number) }
    let open = openPage(place)
    return (open.page, open.number)
  }

  @inline(never)
  private mutating func openPage(_ place: Int) -> OpenPage {
    let capacity = max(1, min(nextCapacity, mostRows - fetched.rows.count))
    let page = RowPage(layout: plan.entities[place].layout, capacity: capacity)
    nextCapacity = min(nextCapacity * Limits.pageGrowth, Limits.rowsOfPage)
    let open = OpenPage(page: page, number: Int32(fetched.pages.count))
    fetched.pages.append(page)
    openPages[place] = open
    return open
  }
}
