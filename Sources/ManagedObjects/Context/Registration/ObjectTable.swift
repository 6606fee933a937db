/// Objects by key: what a context uses to find the one object that stands for a row.
///
/// Open addressing over sixteen-byte entries. Sixteen neighbouring keys share a block of four cache
/// lines, so that rows that were read in the order of their keys are found without a miss each; the
/// blocks are scattered, so that no pattern of keys makes long runs: keys that share a place in
/// their blocks are eight in a block at most on average. At most half of the entries are used.
/// Objects are held unretained: whoever owns the table sees to it that they leave before they go.
///
/// Neighbours fill their block, so that moving what is behind an entry that becomes free would look
/// at most of a block each time. Such an entry is left behind instead, and is free as soon as those
/// behind it are.
///
/// ```
///   free ──set──▶ used ──remove──▶ left, where the next entry is not free ──the next one becomes free, or the table grows──▶ free
///    ▲                    └──────▶ free, where it is ──────────────────────────────────────────────────────────────────────────┘
/// ```
// Sendable: guarded by the lock of the registry that holds it.
@safe
package final class ObjectTable {
  @safe private struct Entry {
    var key: Int64
    /// Nil where the entry is free; `left` where it was left.
    var object: UnsafeMutableRawPointer?
  }

  /// Stands for an object that was removed.
  private static var left: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: 1)
  }

  @safe @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
  @safe @exclusivity(unchecked) private var mask: Int
  @safe @exclusivity(unchecked) package private(set) var count = 0
  /// How many entries were left.
  @safe @exclusivity(unchecked) private var leftCount = 0
  /// Whether an object may be among these that has something to let go of when the context goes.
  @safe @exclusivity(unchecked) package var needsFarewell = false

  package init() {
    mask = Self.smallest - 1
    entries = unsafe Self.allocate(Self.smallest)
  }

  deinit {
    unsafe entries.deallocate()
  }

  /// The object of a key, unretained.
  package func object(_ key: Int64) -> UnsafeMutableRawPointer? {
    var index = home(of: key)
    while true {
      let entry = entries[index]
      guard let object = unsafe entry.object else { return nil }
      if entry.key == key, unsafe object != Self.left { return unsafe object }
      index = (index + 1) & mask
    }
  }

  /// Makes an object the one of a key, in place of another if there was one.
  package func set(_ object: UnsafeMutableRawPointer, for key: Int64) {
    if (count + leftCount) * 2 > mask { grow(toHold: count + 1) }
    let index = place(for: key)
    if unsafe entries[index].object == nil { count += 1 }
    unsafe entries[index] = Entry(key: key, object: object)
  }

  /// Removes an object, unless another one has taken its key.
  package func remove(_ object: UnsafeMutableRawPointer, for key: Int64) {
    let index = place(for: key)
    guard unsafe entries[index].object == object else { return }
    count -= 1
    leave(index)
  }

  /// Makes room, so that as many more objects come in without moving what is there.
  package func reserve(_ more: Int) {
    if (count + leftCount + more) * 2 > mask { grow(toHold: count + more) }
  }

  /// The objects and their keys, in no order that means anything.
  package func forEach(_ body: (Int64, UnsafeMutableRawPointer) -> Void) {
    for index in 0...mask {
      let entry = entries[index]
      if let object = unsafe entry.object, unsafe object != Self.left {
        unsafe body(entry.key, object)
      }
    }
  }

  package func removeAll() {
    unsafe entries.deallocate()
    mask = Self.smallest - 1
    entries = unsafe Self.allocate(Self.smallest)
    (count, leftCount) = (0, 0)
  }

  // MARK: Places

  private static let smallest = 16
  private static let blockShift: UInt64 = 4

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Entry> {
    let entries = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Entry>.stride, alignment: 64
    )
    .bindMemory(to: Entry.self, capacity: count)
    unsafe entries.initialize(repeating: Entry(key: 0, object: nil), count: count)
    return unsafe entries
  }

  /// Where the search for a key begins.
  private func home(of key: Int64) -> Int {
    let bits = UInt64(bitPattern: key)
    let block = (bits >> Self.blockShift) &* 0x9E37_79B9_7F4A_7C15
    return Int(
      truncatingIfNeeded: (block >> 30) << Self.blockShift | bits & (1 << Self.blockShift - 1))
      & mask
  }

  /// The entry of a key, or the free one in which it belongs.
  @inline(__always)
  private func place(for key: Int64) -> Int {
    var index = home(of: key)
    while let object = unsafe entries[index].object,
      unsafe entries[index].key != key || object == Self.left
    {
      index = (index + 1) & mask
    }
    return index
  }

  /// Frees an entry, and those before it that were left, where nothing is behind it; else leaves
  /// it, so that what is behind it is found.
  private func leave(_ index: Int) {
    guard unsafe entries[(index + 1) & mask].object == nil else {
      unsafe entries[index].object = Self.left
      leftCount += 1
      return
    }
    unsafe entries[index].object = nil
    var before = (index - 1) & mask
    while unsafe entries[before].object == Self.left {
      unsafe entries[before].object = nil
      leftCount -= 1
      before = (before - 1) & mask
    }
  }

  private func grow(toHold wanted: Int) {
    let (old, size) = (entries, mask + 1)
    var larger = size
    // Where entries were left, room for as many again, so that a table in which objects come and go
    // is seldom made anew.
    while wanted * (leftCount > 0 ? 3 : 2) > larger { larger *= 2 }
    entries = unsafe Self.allocate(larger)
    mask = larger - 1
    leftCount = 0
    for index in 0..<size {
      let entry = unsafe old[index]
      if let object = unsafe entry.object, unsafe object != Self.left {
        entries[place(for: entry.key)] = entry
      }
    }
    unsafe old.deallocate()
  }
}
