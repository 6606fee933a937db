/// The output that waits to be written to a client, in order.
struct OutputQueue {
  enum Segment {
    case bytes([UInt8])
    case file(HTTPFile)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .file(let file): file.count
      }
    }
  }

  /// A segment, and the memory that is kept until its bytes are written.
  private struct Entry {
    var segment: Segment
    var retained: (any BudgetedMemory)?
  }

  private var entries: [Entry] = []
  private var first = 0
  /// The number of bytes of the first segment that are written.
  private(set) var offset = 0
  /// The number of queued bytes, in memory and in files.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  /// The segment that is written next.
  var head: Segment? { first < entries.count ? entries[first].segment : nil }
  /// Whether more segments follow the first one.
  var hasMore: Bool { first + 1 < entries.count }
  /// Whether other requests need the memory of queued bytes.
  var isMemoryShort: Bool { entries.contains { $0.retained?.isShort == true } }

  mutating func append(_ segment: Segment) {
    guard segment.count > 0 else { return }
    count += segment.count
    entries.append(Entry(segment: segment))
  }

  /// Keeps memory until the last queued segment is written.
  ///
  /// An empty queue does not keep it.
  mutating func retain(_ memory: (any BudgetedMemory)?) {
    guard let memory, !isEmpty else { return }
    entries[entries.count - 1].retained = memory
  }

  /// Removes bytes of the first segment after they were written.
  mutating func remove(_ written: Int) {
    offset += written
    count -= written
    guard let head, offset == head.count else { return }
    offset = 0
    // Freed at once: a client that never reads the last byte must not keep all earlier responses.
    entries[first] = Entry(segment: .bytes([]))
    first += 1
    if first == entries.count {
      removeAll()
    } else if first > 16, first > entries.count / 2 {
      entries.removeFirst(first)
      first = 0
    }
  }

  mutating func removeAll() {
    entries = []
    (first, offset, count) = (0, 0, 0)
  }
}
