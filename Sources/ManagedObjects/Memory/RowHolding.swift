import ObjectRows

/// A store that has all its rows in memory, and so needs no cache of them.
protocol RowHolding {
  /// The row that the store has now under a key.
  func heldRow(for key: RowKey) -> (row: RowReference, page: RowPage)?
}
