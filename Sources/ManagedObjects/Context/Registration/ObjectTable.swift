/// A hash table from keys to the objects of a context, with open addressing over 16-byte entries.
///
/// Sixteen adjacent keys share a block of four cache lines, so that rows read in key order are
/// found without a cache miss each. The blocks are scattered, so that no pattern of keys makes long
/// runs. At most half of the entries are used.
///
/// Objects are not retained: the owner removes them before they are deallocated. A removed entry
/// becomes a tombstone if the next entry is used, because moving entries would touch most of a
/// block. Tombstones become free with the entries after them, or when the table grows.
// Sendable: guarded by the lock of the registry that holds it.
@safe
package final class ObjectTable {
  @safe private struct Entry {
    var key: Int64
    /// Nil for a free entry; `tombstone` for a removed object.
    var object: UnsafeMutableRawPointer?
  }

  /// The tombstone of a removed object.
  private static var tombstone: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: 1)
  }

  @safe @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
  @safe @exclusivity(unchecked) private var mask: Int
  @safe @exclusivity(unchecked) package private(set) var count = 0
  /// The number of tombstones.
  @safe @exclusivity(unchecked) private var tombstoneCount = 0
  /// Whether one of the objects may need detaching at the context's end.
  @safe @exclusivity(unchecked) package var needsDetaching = false

  package init() {
    mask = Self.smallest - 1
    entries = unsafe Self.allocate(Self.smallest)
  }

  deinit {
    unsafe entries.deallocate()
  }

  /// The object with a key, not retained.
  package func object(_ key: Int64) -> UnsafeMutableRawPointer? {
    var index = home(of: key)
    while true {
      let entry = entries[index]
      guard let object = unsafe entry.object else { return nil }
      if entry.key == key, unsafe object != Self.tombstone { return unsafe object }
      index = (index + 1) & mask
    }
  }

  /// Sets the object of a key and replaces an earlier one.
  package func set(_ object: UnsafeMutableRawPointer, for key: Int64) {
    if (count + tombstoneCount) * 2 > mask { grow(toHold: count + 1) }
    let index = place(for: key)
    if unsafe entries[index].object == nil { count += 1 }
    unsafe entries[index] = Entry(key: key, object: object)
  }

  /// Removes an object, unless its key now has another object.
  package func remove(_ object: UnsafeMutableRawPointer, for key: Int64) {
    let index = place(for: key)
    guard unsafe entries[index].object == object else { return }
    count -= 1
    removeEntry(index)
  }

  /// Reserves capacity for more objects.
  package func reserve(_ more: Int) {
    if (count + tombstoneCount + more) * 2 > mask { grow(toHold: count + more) }
  }

  /// Calls a closure with each object and its key, in unspecified order.
  package func forEach(_ body: (Int64, UnsafeMutableRawPointer) -> Void) {
    for index in 0...mask {
      let entry = entries[index]
      if let object = unsafe entry.object, unsafe object != Self.tombstone {
        unsafe body(entry.key, object)
      }
    }
  }

  package func removeAll() {
    unsafe entries.deallocate()
    mask = Self.smallest - 1
    entries = unsafe Self.allocate(Self.smallest)
    (count, tombstoneCount) = (0, 0)
  }

  // MARK: Entries

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

  /// The first entry to search for a key.
  ///
  /// The low four bits of the key are its place in a block. The other bits choose the block:
  /// Fibonacci hashing multiplies them by 2^64 divided by the golden ratio.
  private func home(of key: Int64) -> Int {
    let bits = UInt64(bitPattern: key)
    let block = (bits >> Self.blockShift) &* 0x9E37_79B9_7F4A_7C15
    return Int(
      truncatingIfNeeded: (block >> 30) << Self.blockShift | bits & (1 << Self.blockShift - 1))
      & mask
  }

  /// The entry of a key, or the free entry for it.
  @inline(__always)
  private func place(for key: Int64) -> Int {
    var index = home(of: key)
    while let object = unsafe entries[index].object,
      unsafe entries[index].key != key || object == Self.tombstone
    {
      index = (index + 1) & mask
    }
    return index
  }

  /// Frees an entry and the tombstones before it if the next entry is free.
  ///
  /// If not, leaves a tombstone.
  private func removeEntry(_ index: Int) {
    guard unsafe entries[(index + 1) & mask].object == nil else {
      unsafe entries[index].object = Self.tombstone
      tombstoneCount += 1
      return
    }
    unsafe entries[index].object = nil
    var before = (index - 1) & mask
    while unsafe entries[before].object == Self.tombstone {
      unsafe entries[before].object = nil
      tombstoneCount -= 1
      before = (before - 1) & mask
    }
  }

  private func grow(toHold wanted: Int) {
    let (old, size) = (entries, mask + 1)
    var larger = size
    // After removals, at most a third of the entries are used, so that a table with many removals
    // is seldom rebuilt.
    while wanted * (tombstoneCount > 0 ? 3 : 2) > larger { larger *= 2 }
    entries = unsafe Self.allocate(larger)
    mask = larger - 1
    tombstoneCount = 0
    for index in 0..<size {
      let entry = unsafe old[index]
      if let object = unsafe entry.object, unsafe object != Self.tombstone {
        entries[place(for: entry.key)] = entry
      }
    }
    unsafe old.deallocate()
  }
}
