/// What waits to be written to a client, in order.
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

  private var segments: [Segment] = []
  private var first = 0
  /// How much of the first segment is written.
  private(set) var offset = 0
  /// How many bytes wait, in memory and in files.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }
  /// What is written next.
  var head: Segment? { first < segments.count ? segments[first] : nil }
  /// Whether more follows behind the first segment.
  var hasMore: Bool { first + 1 < segments.count }

  mutating func append(_ segment: Segment) {
    guard segment.count > 0 else { return }
    count += segment.count
    segments.append(segment)
  }

  /// Bytes of the first segment were written.
  mutating func remove(_ written: Int) {
    offset += written
    count -= written
    guard let head, offset == head.count else { return }
    offset = 0
    first += 1
    if first == segments.count {
      removeAll()
    } else if first > 16 {
      segments.removeFirst(first)
      first = 0
    }
  }

  mutating func removeAll() {
    segments = []
    (first, offset, count) = (0, 0, 0)
  }
}
