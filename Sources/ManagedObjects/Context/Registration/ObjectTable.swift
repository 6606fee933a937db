/// Objects by key: what a context uses to find the one object that stands for a row.
///
/// Open addressing over sixteen-byte entries. Sixteen neighbouring keys share a block of four cache lines, so that rows that
/// were read in the order of their keys are found without a miss each; the blocks are scattered, so that no pattern of
/// keys makes long runs: keys that share a place in their blocks are eight in a block at most on average. At most half of the entries are used. Objects are held unretained: whoever owns the table sees
/// to it that they leave before they go.
// Sendable: guarded by the lock of the registry that holds it.
@safe
package final class ObjectTable {
  @safe private struct Entry {
    var key: Int64
    /// Nil where the entry is free.
    var object: UnsafeMutableRawPointer?
  }

  @safe @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
  @safe @exclusivity(unchecked) private var mask: Int
  @safe @exclusivity(unchecked) package private(set) var count = 0
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
      if entry.key == key { return unsafe object }
      index = (index + 1) & mask
    }
  }

  /// Makes an object the one of a key, in place of another if there was one.
  package func set(_ object: UnsafeMutableRawPointer, for key: Int64) {
    if count * 2 > mask { grow(toHold: count + 1) }
    let index = place(for: key)
    if unsafe entries[index].object == nil { count += 1 }
    unsafe entries[index] = Entry(key: key, object: object)
  }

  /// Removes an object, unless another one has taken its key.
  package func remove(_ object: UnsafeMutableRawPointer, for key: Int64) {
    let index = place(for: key)
    guard unsafe entries[index].object == object else { return }
    count -= 1
    close(index)
  }

  /// Makes room, so that as many more objects come in without moving what is there.
  package func reserve(_ more: Int) {
    if (count + more) * 2 > mask { grow(toHold: count + more) }
  }

  /// The objects and their keys, in no order that means anything.
  package func forEach(_ body: (Int64, UnsafeMutableRawPointer) -> Void) {
    for index in 0...mask {
      let entry = entries[index]
      if let object = unsafe entry.object { unsafe body(entry.key, object) }
    }
  }

  package func removeAll() {
    unsafe entries.deallocate()
    mask = Self.smallest - 1
    entries = unsafe Self.allocate(Self.smallest)
    count = 0
  }

  // MARK: Places

  private static let smallest = 16
  private static let blockShift: UInt64 = 4

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Entry> {
    let entries = unsafe UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Entry>.stride, alignment: 64)
      .bindMemory(to: Entry.self, capacity: count)
    unsafe entries.initialize(repeating: Entry(key: 0, object: nil), count: count)
    return unsafe entries
  }

  /// Where the search for a key begins.
  private func home(of key: Int64) -> Int {
    let bits = UInt64(bitPattern: key)
    let block = (bits >> Self.blockShift) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (block >> 30) << Self.blockShift | bits & (1 << Self.blockShift - 1)) & mask
  }

  /// The entry of a key, or the free one in which it belongs.
  private func place(for key: Int64) -> Int {
    var index = home(of: key)
    while unsafe entries[index].object != nil, entries[index].key != key { index = (index + 1) & mask }
    return index
  }

  /// Frees an entry, and moves those behind it that could not be found past a free one.
  private func close(_ freed: Int) {
    var free = freed
    var index = freed
    while true {
      index = (index + 1) & mask
      let entry = entries[index]
      guard unsafe entry.object != nil else { break }
      let distance = (index &- home(of: entry.key)) & mask
      if distance >= (index &- free) & mask {
        entries[free] = entry
        free = index
      }
    }
    unsafe entries[free].object = nil
  }

  private func grow(toHold wanted: Int) {
    let (old, size) = (entries, mask + 1)
    var larger = size
    while wanted * 2 > larger { larger *= 2 }
    entries = unsafe Self.allocate(larger)
    mask = larger - 1
    for index in 0..<size {
      let entry = unsafe old[index]
      if unsafe entry.object != nil { entries[place(for: entry.key)] = entry }
    }
    unsafe old.deallocate()
  }
}
