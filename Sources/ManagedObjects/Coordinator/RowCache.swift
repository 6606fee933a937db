package import ObjectRows

/// The rows of one store that anybody in the process still holds.
///
/// It keeps nothing alive: a page is found here for as long as an object, a snapshot or a result
/// holds it. Noting a page costs the same for one row and for hundreds; its rows are only looked at
/// when somebody asks for a row.
///
/// ```
/// register ──▶ waiting ──first look-up──▶ indexed ──page released──▶ forgotten
///                 └────────page released────────────────────────────────▲
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

  /// A point in the order of the saves, for `register(_:readAt:)`.
  package var moment: Int { state.withLock { $0.moment } }

  /// Notes the rows of a page, which are what the store has.
  ///
  /// A page that is noted twice is noted once. The page is full, and whoever shares it shares it
  /// later.
  package func register(_ page: RowPage) {
    state.withLock { add(page, to: &$0) }
  }

  /// Notes the rows of pages that were read from the store, unless somebody saved since then: they
  /// may be out of date.
  package func register(_ pages: [RowPage], readAt moment: Int) {
    state.withLock { state in
      guard state.moment == moment else { return }
      for page in pages { add(page, to: &state) }
    }
  }

  private func add(_ page: RowPage, to state: inout RowCacheState) {
    guard page.keeper == nil else { return }
    page.placeAtKeeper = state.add(page)
    page.keeper = self
  }

  /// The newest row that is known under a key, with the page that holds it.
  package func row(for key: RowKey) -> (row: RowReference, page: RowPage)? {
    let root = layouts[key.layoutIndex].rootIndex
    // Pages that only the look-up holds must not end within the lock.
    let (found, held) = state.withLock { state in
      let held = state.indexWaitingPages()
      return (state.find(key.key, root: root), held)
    }
    return withExtendedLifetime(held) { found }
  }

  /// Forgets the rows that a save wrote or deleted, and those of which the store computed values.
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

  /// Forgets every version of a row that is known now, as after a change by somebody else.
  package func forget(_ key: Int64, rootIndex: Int) {
    state.withLock { state in
      state.outdate(key, root: rootIndex, upTo: .max)
      state.moment += 1
    }
  }

  /// Forgets every row, as after a change that nobody can tell in detail.
  package func removeAll() {
    state.withLock { $0.removeAll() }
  }

  /// How many pages are known.
  package var pageCount: Int { state.withLock { $0.pageCount } }

  package func forget(_ page: RowPage, at place: Int) {
    state.withLock { $0.forget(page, at: place) }
  }
}
