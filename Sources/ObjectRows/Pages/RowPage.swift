/// An observer that does not retain pages, and is notified when one is released.
package protocol RowPageObserver: AnyObject, Sendable {
  func forget(_ page: RowPage, at place: Int)
}

// Sendable: confined to its creator while it is filled, immutable afterwards.
/// The memory of many rows of one entity.
///
/// Its creator fills it row by row. It is immutable afterwards, and stores, row caches, snapshots
/// of changed objects and the unchanged objects of all contexts share it.
@safe
public final class RowPage: RowOwner, @unchecked Sendable {
  package let capacity: Int
  @safe @exclusivity(unchecked) package private(set) var count = 0
  @safe private let memory: UnsafeMutableRawPointer
  private let stride: Int
  /// The time at which the rows were read or saved, in seconds since the reference date.
  ///
  /// A coordinator sets it.
  @safe @exclusivity(unchecked) package var seconds = 0.0
  /// The row cache that has registered the page, and the page's place in it.
  @safe @exclusivity(unchecked) package var observer: (any RowPageObserver)?
  @safe @exclusivity(unchecked) package var placeInObserver = 0
  @safe @exclusivity(unchecked) private var texts = LazyTextStorage()

  package init(layout: RowLayout, capacity: Int) {
    precondition(capacity > 0, "A page has room for at least one row.")
    self.capacity = capacity
    stride = layout.stride
    memory = .allocate(byteCount: capacity * layout.stride, alignment: 16)
    super.init(layout: layout)
  }

  deinit {
    observer?.forget(self, at: placeInObserver)
    layout.deinitializeRows(count, from: row(at: 0))
    unsafe memory.deallocate()
  }

  package var isFull: Bool { count == capacity }

  package func row(at index: Int) -> RowReference { unsafe RowReference(memory + index * stride) }

  /// Appends a row without values, for the creator to fill.
  package func appendRow(key: Int64, version: Int64) -> RowReference {
    precondition(!isFull, "The page is full.")
    let row = row(at: count)
    layout.initializeRow(row, key: key, version: version)
    count += 1
    return row
  }

  /// Sets a string of a new row.
  ///
  /// On a large page, a string of medium length stays bytes until it is requested.
  package func setText(_ utf8: Span<UInt8>, _ slot: RowSlot, in row: RowReference) {
    guard capacity >= Limits.rowsForLazyTexts, Limits.lazyTextBytes.contains(utf8.count) else {
      let text = unsafe utf8.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
      return slot.initialize(Optional(text), in: row)
    }
    unsafe slot.initialize(
      lazyText: texts.keep(utf8, pieceBytes: capacity * Limits.lazyTextBytesPerRow), in: row)
  }

  /// Appends a row with the values of another of the same layout.
  package func appendRow(copying source: RowReference) -> RowReference {
    precondition(!isFull, "The page is full.")
    let row = row(at: count)
    layout.initializeRow(row, copying: source)
    count += 1
    return row
  }

  /// Appends a row by moving one from `RowLayout.allocateRow`, of the same layout, with its
  /// references.
  package func appendRow(moving source: RowReference) -> RowReference {
    precondition(!isFull, "The page is full.")
    let row = row(at: count)
    layout.initializeRow(row, moving: source)
    count += 1
    return row
  }
}
