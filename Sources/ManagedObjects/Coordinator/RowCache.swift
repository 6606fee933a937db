package import ObjectRows

/// The rows of one store that are still in use in the process.
///
/// The cache keeps nothing alive: a page is found as long as an object, a snapshot or a result
/// holds it. Registering a page costs the same for one row and for hundreds. Its rows are indexed
/// at the next lookup.
///
/// ```
/// register ──▶ waiting ──next lookup──▶ indexed ──page released──▶ forgotten
///                 └────────page released──────────────────────────────▲
/// ```
///
/// Of two versions of a row, the newer one is found.
package final class RowCache: RowPageObserver {
  private let layouts: ModelLayouts
  private let state: LockedBox<RowCacheState>

  package init(layouts: ModelLayouts) {
    self.layouts = layouts
    state = LockedBox(RowCacheState(rootCount: layouts.layouts.count))
  }

  /// The number of saves so far, for `register(_:readAt:)`.
  package var moment: Int { state.withLock { $0.moment } }

  /// Registers the rows of a page, which match the store's contents.
  ///
  /// Registering a page twice has no further effect. The page is full, and is shared only after
  /// this call.
  package func register(_ page: RowPage) {
    state.withLock { add(page, to: &$0) }
  }

  /// Registers rows that were read from the store.
  ///
  /// They are skipped if a save since then may have made them stale.
  package func register(_ pages: [RowPage], readAt moment: Int) {
    state.withLock { state in
      guard state.moment == moment else { return }
      for page in pages { add(page, to: &state) }
    }
  }

  private func add(_ page: RowPage, to state: inout RowCacheState) {
    guard page.observer == nil else { return }
    page.placeInObserver = state.add(page)
    page.observer = self
  }

  /// The newest row for a key, with the page that holds it.
  package func row(for key: RowKey) -> (row: RowReference, page: RowPage)? {
    let root = layouts[key.layoutIndex].rootIndex
    // A page that only the lookup retains must not be released within the lock.
    let (found, held) = state.withLock { state in
      let held = state.indexWaitingPages()
      return (state.find(key.key, root: root), held)
    }
    return withExtendedLifetime(held) { found }
  }

  /// Removes the rows that a save wrote or deleted, and those with values that the store computed.
  package func outdate(_ changes: StoreChanges, _ receipt: StoreSaveReceipt) {
    state.withLock { state in
      for change in changes.updated {
        let key = RowKey(key: change.row.key, layoutIndex: Int32(change.layout.index))
        let former = change.expectedVersion ?? receipt.versions[key].map { $0 - 1 }
        state.outdate(change.row.key, root: change.layout.rootIndex, upTo: former ?? .max)
      }
      for deletion in changes.deleted {
        state.outdate(deletion.key, root: deletion.layout.rootIndex, upTo: .max)
      }
      for row in receipt.derivedRows {
        state.outdate(row.key, root: layouts[row.layoutIndex].rootIndex, upTo: .max)
      }
      state.moment += 1
    }
  }

  /// Removes every known version of rows that a batch request changed.
  package func outdate(_ rows: ContiguousArray<RowKey>) {
    state.withLock { state in
      if state.pageCount == 0 {
        state.moment += 1
        return
      }
      for row in rows {
        state.outdate(row.key, root: layouts[row.layoutIndex].rootIndex, upTo: .max)
      }
      state.moment += 1
    }
  }

  /// Removes every known version of a row, as after an external change.
  package func forget(_ key: Int64, rootIndex: Int) {
    state.withLock { state in
      state.outdate(key, root: rootIndex, upTo: .max)
      state.moment += 1
    }
  }

  /// Removes every row, as after unknown external changes.
  package func removeAll() {
    state.withLock { $0.removeAll() }
  }

  /// The number of pages.
  package var pageCount: Int { state.withLock { $0.pageCount } }

  package func forget(_ page: RowPage, at place: Int) {
    state.withLock { $0.forget(page, at: place) }
  }
}
