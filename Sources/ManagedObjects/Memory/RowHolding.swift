import ObjectRows

/// A store that has all its rows in memory and needs no row cache.
protocol RowHolding {
  /// The current row with a key.
  func heldRow(for key: RowKey) -> (row: RowReference, page: RowPage)?
}
