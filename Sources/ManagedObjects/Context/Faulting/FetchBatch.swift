import ObjectRows

/// What faults of one batch of a fetch have in the place of a row: the keys to read together when one of them fires.
final class FetchBatch: RowOwner {
  let keys: [Int64]
  /// The layout of the entity that was fetched, which the rows of the batch belong to or descend from.
  let root: RowLayout

  /// - Parameter layout: The layout of the objects that have the batch in the place of their rows.
  init(keys: [Int64], root: RowLayout, layout: RowLayout) {
    self.keys = keys
    self.root = root
    super.init(layout: layout)
  }
}
