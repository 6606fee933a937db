import ObjectRows

/// The keys of one batch of a fetch.
///
/// The batch's faults hold it in place of a row, and firing one loads the rows of all.
final class FetchBatch: RowOwner {
  let keys: [Int64]
  /// The layout of the fetched entity.
  ///
  /// The rows belong to it or to its subentities.
  let root: RowLayout

  /// Creates a batch of rows that are fetched together.
  ///
  /// - Parameter layout: The layout of the objects that hold the batch in place of their rows.
  init(keys: [Int64], root: RowLayout, layout: RowLayout) {
    self.keys = keys
    self.root = root
    super.init(layout: layout)
  }
}

extension NSManagedObject {
  /// Whether a registered object is an unchanged fault of a batch that was not loaded.
  ///
  /// The object is not retained. The caller holds the lock that protects its table.
  @unsafe
  static func isBatchFault(at address: UnsafeMutableRawPointer) -> Bool {
    unsafe Unmanaged<NSManagedObject>.fromOpaque(address)._withUnsafeGuaranteedRef {
      $0.flags.contains(.fault) && $0.flags.isDisjoint(with: .changedOrInaccessible)
        && $0.rowOwner is FetchBatch
    }
  }
}

extension ObjectFlags {
  /// The object has a change, or its row no longer exists.
  fileprivate static var changedOrInaccessible: ObjectFlags {
    [.inserted, .updated, .deleted, .unsaved, .listed, .pending, .inaccessible]
  }
}
