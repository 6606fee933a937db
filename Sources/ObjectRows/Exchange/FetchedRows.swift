/// Rows that a store read, in the order that was asked for.
package struct FetchedRows {
  /// The pages that hold the rows, so that they live as long as this value.
  package var pages: [RowPage] = []
  package var rows: ContiguousArray<FetchedRow> = []
  /// Whether the maker saw that each key is greater than the one before it.
  package var keysGoUp = false

  package init() {}
}

/// A row on a page.
@frozen
public struct FetchedRow {
  @usableFromInline package let row: RowReference
  /// The place of the row's page among the pages that were fetched.
  @usableFromInline package let page: Int32

  @inlinable package init(row: RowReference, page: Int32) {
    self.row = row
    self.page = page
  }
}

/// The rows at the far ends of a relationship of several objects.
package struct RelatedRows {
  /// The keys of the objects that the relationship starts from: one for each member, members of one
  /// owner side by side and in the order of the relationship.
  package var owners: ContiguousArray<Int64> = []
  /// The members, one for each of the owners.
  package var members: ContiguousArray<RowKey> = []
  /// The rows of the members, where they were asked for; one for each of the members.
  package var rows: FetchedRows?

  package init() {}
}
