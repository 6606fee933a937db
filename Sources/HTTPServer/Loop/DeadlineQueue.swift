/// A queue of deadlines, earliest first, as a binary heap.
package struct DeadlineQueue: Sendable {
  /// A deadline, and the descriptor that it belongs to.
  package struct Entry: Equatable, Sendable {
    package let time: Int64
    package let token: UInt64
  }

  private var heap: [Entry] = []

  package init() {}

  /// The earliest deadline.
  package var next: Int64? { heap.first?.time }
  package var count: Int { heap.count }

  package mutating func insert(_ time: Int64, token: UInt64) {
    heap.append(Entry(time: time, token: token))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].time < heap[parent].time else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest entry, unless it is after a time.
  package mutating func take(until time: Int64) -> Entry? {
    guard let first = heap.first, first.time <= time else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return first
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].time < heap[least].time {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
