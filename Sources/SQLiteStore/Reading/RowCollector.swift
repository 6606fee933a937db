import ObjectRows
import SQLiteDriver

/// Puts the rows of a statement onto pages: those of one entity onto pages of its layout, one open at a time.
///
/// The first pages are small, so that fetching a few objects takes little memory.
struct RowCollector {
  private let plan: ReadPlan
  private let reader: RowReader
  private var openPages: ContiguousArray<OpenPage?>
  private var nextCapacity: Int
  private(set) var fetched = FetchedRows()

  private struct OpenPage {
    let page: RowPage
    let number: Int32
  }

  /// - Parameter expected: How many rows there will be, if that is known.
  init(_ plan: ReadPlan, _ reader: RowReader, expected: Int? = nil) {
    self.plan = plan
    self.reader = reader
    openPages = ContiguousArray(repeating: nil, count: plan.entities.count)
    nextCapacity = min(max(expected ?? Limits.rowsOfFirstPage, 1), Limits.rowsOfPage)
    if let expected { fetched.rows.reserveCapacity(expected) }
  }

  /// Reads a statement to its end.
  mutating func collect(_ statement: inout Statement) throws(SQLiteError) {
    while try statement.step() { _ = append(statement.row) }
  }

  /// Adds the present row of a statement whose first columns are the leading ones.
  ///
  /// Returns false where the row is of an entity that the plan does not read.
  @inline(__always)
  mutating func append(_ row: borrowing Row) -> Bool {
    let place = plan.place(ofEntity: row.int64(at: 0))
    guard place >= 0 else { return false }
    let open: OpenPage
    if let page = openPages[place], !page.page.isFull { open = page } else { open = openPage(place) }
    let target = open.page.appendRow(key: row.int64(at: 1), version: row.int64(at: 2))
    reader.fill(target, from: row, plan.entities[place])
    fetched.rows.append(FetchedRow(row: target, page: open.number))
    return true
  }

  @inline(never)
  private mutating func openPage(_ place: Int) -> OpenPage {
    let page = RowPage(layout: plan.entities[place].layout, capacity: nextCapacity)
    nextCapacity = min(nextCapacity * Limits.pageGrowth, Limits.rowsOfPage)
    let open = OpenPage(page: page, number: Int32(fetched.pages.count))
    fetched.pages.append(page)
    openPages[place] = open
    return open
  }
}
