import ObjectRows

/// Writes the rows of a save to pages that are no larger than needed.
struct PageWriter {
  private var pages: [Int: RowPage] = [:]
  private var remaining: [Int: Int] = [:]

  /// Creates a writer for pages of rows.
  ///
  /// - Parameter layouts: The layouts of the rows to come.
  init(_ layouts: some Sequence<RowLayout>) {
    for layout in layouts { remaining[layout.index, default: 0] += 1 }
  }

  mutating func appendRow(_ layout: RowLayout, copying source: RowReference) -> (
    row: RowReference, page: RowPage
  ) {
    let page = page(for: layout)
    remaining[layout.index, default: 1] -= 1
    return (page.appendRow(copying: source), page)
  }

  private mutating func page(for layout: RowLayout) -> RowPage {
    if let page = pages[layout.index], !page.isFull { return page }
    let capacity = min(max(remaining[layout.index] ?? 1, 1), Limits.rowsOfMemoryPage)
    let page = RowPage(layout: layout, capacity: capacity)
    pages[layout.index] = page
    return page
  }
}
