import ObjectRows

/// What faults of one batch of a fetch have in the place of a row: the keys to read together when
/// one of them fires.
final class FetchBatch: RowOwner {
  let keys: [Int64]
  /// The layout of the entity that was fetched, which the rows of the batch belong to or descend
  /// from.
  let root: RowLayout

  /// - Parameter layout: The layout of the objects that have the batch in the place of their rows.
  init(keys: [Int64], root: RowLayout, layout: RowLayout) {
    self.keys = keys
    self.root = root
    super.init(layout: layout)
  }
}

extension NSManagedObject {
  /// Whether a registered object is an unchanged fault of a batch that was not read.
  ///
  /// The object is not retained: the caller holds the lock under which it leaves its table.
  @unsafe
  static func isBatchFault(at address: UnsafeMutableRawPointer) -> Bool {
    unsafe Unmanaged<NSManagedObject>.fromOpaque(address)._withUnsafeGuaranteedRef {
      $0.flags.contains(.fault) && $0.flags.isDisjoint(with: .changedOrInaccessible)
        && $0.rowOwner is FetchBatch
    }
  }
}

extension ObjectFlags {
  /// A fault with one of these has a change, or its row is gone.
  fileprivate static var changedOrInaccessible: ObjectFlags {
    [.inserted, .updated, .deleted, .unsaved, .listed, .pending, .inaccessible]
  }
}
