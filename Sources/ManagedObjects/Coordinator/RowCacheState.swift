import CObjectReferences
import ObjectRows

/// The state of a row cache: pages, and the positions of rows on them.
struct RowCacheState {
  /// The place of a page in the cache.
  ///
  /// It is reused after the page is released.
  typealias Place = Int

  @safe private struct Slot {
    /// The page, not retained.
    ///
    /// It leaves the cache in its deinitializer, under the lock.
    var address: UnsafeMutableRawPointer?
    /// The position in the list of waiting pages, or nil if the page's rows are indexed or removed.
    var waiting: Int?
    var isIndexed = false
  }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var waiting: [Int] = []
  /// The places of the indexed rows, by layout index of the root entity.
  private var tables: [RowPlaceTable]
  /// The newest stale versions of rows that waiting pages may hold, by root entity and key.
  private var outdated: [RowPlaceTable]
  private(set) var pageCount = 0
  /// The number of saves.
  var moment = 0

  init(rootCount: Int) {
    tables = Array(repeating: RowPlaceTable(), count: rootCount)
    outdated = tables
  }

  mutating func add(_ page: RowPage) -> Place {
    let slot = unsafe Slot(
      address: Unmanaged.passUnretained(page).toOpaque(), waiting: waiting.count)
    pageCount += 1
    if let free = freeSlots.popLast() {
      slots[free] = slot
      waiting.append(free)
      return free
    }
    slots.append(slot)
    waiting.append(slots.count - 1)
    return slots.count - 1
  }

  /// Indexes the rows of the pages that were added since the last call.
  ///
  /// The caller keeps the returned pages alive until it has left the lock.
  mutating func indexWaitingPages() -> [RowPage] {
    guard !waiting.isEmpty else { return [] }
    var held: [RowPage] = []
    held.reserveCapacity(waiting.count)
    for place in waiting {
      slots[place].waiting = nil
      guard let page = page(at: place) else { continue }
      held.append(page)
      slots[place].isIndexed = true
      index(page, at: place)
    }
    waiting.removeAll(keepingCapacity: true)
    forgetOutdated()
    return held
  }

  private mutating func index(_ page: RowPage, at place: Place) {
    let root = page.layout.rootIndex
    for number in 0..<page.count {
      let row = page.row(at: number)
      if let old = outdated[root].find(row.key), row.version <= old.version { continue }
      tables[root].insert(
        row.key, RowPlaceTable.Place(page: UInt32(place), row: UInt32(number), version: row.version)
      )
    }
  }

  func find(_ key: Int64, root: Int) -> (row: RowReference, page: RowPage)? {
    guard let place = tables[root].find(key), let page = page(at: Int(place.page)) else {
      return nil
    }
    return (page.row(at: Int(place.row)), page)
  }

  /// The page at a place, unless its deinitializer has begun.
  ///
  /// A weak reference would do the same. But it would move the page's reference counts to a side
  /// table, and so slow down all users of the page.
  private func page(at place: Place) -> RowPage? {
    guard let address = unsafe slots[place].address, let page = unsafe swift_tryRetain(address)
    else { return nil }
    return unsafe Unmanaged<RowPage>.fromOpaque(page).takeRetainedValue()
  }

  /// Removes the versions of a row up to the given one.
  ///
  /// Rows of waiting pages are not searched: the cost of a save must not grow with earlier fetches.
  mutating func outdate(_ key: Int64, root: Int, upTo version: Int64) {
    if let place = tables[root].find(key), place.version <= version { tables[root].remove(key) }
    if !waiting.isEmpty {
      outdated[root].insert(key, RowPlaceTable.Place(page: 0, row: 0, version: version))
    }
  }

  /// Removes a page that is being released.
  mutating func forget(_ page: RowPage, at place: Place) {
    if let position = slots[place].waiting {
      waiting.swapAt(position, waiting.count - 1)
      waiting.removeLast()
      if position < waiting.count { slots[waiting[position]].waiting = position }
      if waiting.isEmpty { forgetOutdated() }
    } else if slots[place].isIndexed {
      let root = page.layout.rootIndex
      for number in 0..<page.count {
        tables[root].remove(page.row(at: number).key, ifOn: UInt32(place))
      }
    }
    slots[place] = Slot()
    freeSlots.append(place)
    pageCount -= 1
  }

  private mutating func forgetOutdated() {
    for root in outdated.indices where !outdated[root].isEmpty { outdated[root] = RowPlaceTable() }
  }

  mutating func removeAll() {
    for place in slots.indices {
      slots[place].waiting = nil
      slots[place].isIndexed = false
    }
    waiting.removeAll()
    forgetOutdated()
    moment += 1
    for root in tables.indices { tables[root] = RowPlaceTable() }
  }
}
