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
  /// The relationship key paths to prefetch, until the first row is loaded.
  private var keyPaths: [String]?

  /// Creates a batch of rows that are fetched together.
  ///
  /// - Parameter layout: The layout of the objects that hold the batch in place of their rows.
  init(keys: [Int64], root: RowLayout, layout: RowLayout, prefetching keyPaths: [String]?) {
    self.keys = keys
    self.root = root
    self.keyPaths = keyPaths
    super.init(layout: layout)
  }

  /// Returns the key paths to prefetch, only the first time.
  func takeKeyPaths() -> [String]? {
    defer { keyPaths = nil }
    return keyPaths
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
