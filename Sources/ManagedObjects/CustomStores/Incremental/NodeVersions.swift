import ObjectRows

/// The versions of an incremental store's rows.
///
/// The row version changes with each save of this process, and whenever a node arrives with another
/// version than before. A class may thus return a constant version, or one that its server counts:
///
/// ```
/// read, node 7 ──▶ row 1 ──save──▶ row 2, node unknown
///   ──read, node 8──▶ row 2, node 8 ──read, node 9──▶ row 3
/// ```
///
/// The first node after a save has the version that the save created, so the row version stays.
final class NodeVersions: Sendable {
  private struct Name: Hashable {
    let key: Int64
    let rootIndex: Int

    init(_ key: RowKey, _ layouts: ModelLayouts) {
      self.key = key.key
      rootIndex = layouts[key.layoutIndex].rootIndex
    }
  }

  private struct Known {
    var row: Int64
    /// The version of the last node; nil after a save.
    var node: UInt64?
  }

  private let known = LockedBox<[Name: Known]>([:])

  /// The version of the row whose node was just read.
  func version(of key: RowKey, read node: UInt64, _ layouts: ModelLayouts) -> Int64 {
    known.withLock { known in
      var entry = known[Name(key, layouts)] ?? Known(row: 1, node: node)
      if let last = entry.node, last != node { entry.row += 1 }
      entry.node = node
      known[Name(key, layouts)] = entry
      return entry.row
    }
  }

  /// The version of the row; nil if it was never read or saved.
  func known(_ key: RowKey, _ layouts: ModelLayouts) -> Int64? {
    known.withLock { $0[Name(key, layouts)]?.row }
  }

  func recordInsertion(of key: RowKey, _ layouts: ModelLayouts) {
    known.withLock { $0[Name(key, layouts)] = Known(row: 1, node: nil) }
  }

  /// Records a save, and returns the new version.
  func recordUpdate(of key: RowKey, expecting expected: Int64?, _ layouts: ModelLayouts) -> Int64 {
    known.withLock { known in
      let version = (expected ?? known[Name(key, layouts)]?.row ?? 0) + 1
      known[Name(key, layouts)] = Known(row: version, node: nil)
      return version
    }
  }

  /// Records that the store reported a change by another writer.
  func recordChange(of key: RowKey, _ layouts: ModelLayouts) {
    known.withLock { known in
      let version = known[Name(key, layouts)]?.row ?? 0
      known[Name(key, layouts)] = Known(row: version + 1, node: nil)
    }
  }

  func forget(_ key: RowKey, _ layouts: ModelLayouts) {
    known.withLock { $0[Name(key, layouts)] = nil }
  }
}
