/// Rows that a store read, in the requested order.
package struct FetchedRows {
  /// The pages that hold the rows, retained by this value.
  package var pages: [RowPage] = []
  package var rows: ContiguousArray<FetchedRow> = []
  /// Whether the keys are known to be in ascending order.
  package var keysAscend = false

  package init() {}
}

/// A row on a page.
@frozen
public struct FetchedRow {
  @usableFromInline package let row: RowReference
  /// The index of the row's page in `pages`.
  @usableFromInline package let page: Int32

  @inlinable package init(row: RowReference, page: Int32) {
    self.row = row
    self.page = page
  }
}

/// The members of one relationship of several owners.
package struct RelatedRows {
  /// The owners' keys, one for each member.
  ///
  /// Members of one owner are adjacent, in the order of the relationship.
  package var owners: ContiguousArray<Int64> = []
  /// The members, one for each entry of `owners`.
  package var members: ContiguousArray<RowKey> = []
  /// The rows of the members, one for each, if they were requested.
  package var rows: FetchedRows?

  package init() {}
}
