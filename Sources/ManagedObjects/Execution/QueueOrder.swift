/// The order of blocks and waiters on a queue.
///
/// This type decides, and `ExecutionQueue` wakes threads and runs blocks. A thread that enters or
/// is woken holds the queue until it leaves or hands it over.
struct QueueOrder {
  enum Item {
    /// A block whose caller does not wait.
    case block(@Sendable () -> Void)
    /// A thread that runs its block when its turn comes.
    case waiter(QueueWaiter)
  }

  enum Entry {
    /// The caller waits until it is woken.
    case waiting
    /// The caller holds the queue, and runs earlier items until its turn comes.
    case helping
  }

  enum Release {
    case nothing
    case wake(QueueWaiter)
    case scheduleTurn
  }

  enum Call {
    case nothing
    case scheduleTurn
  }

  private var items: [Item] = []
  /// The index of the first item that was not taken.
  private var first = 0
  private var isHeld = false
  /// Whether a run on the block queue was requested and has not begun.
  private var isTurnScheduled = false

  private var isEmpty: Bool { first == items.count }

  mutating func enterIfIdle() -> Bool {
    guard !isHeld, isEmpty else { return false }
    isHeld = true
    return true
  }

  mutating func enter(_ waiter: QueueWaiter) -> Entry {
    items.append(.waiter(waiter))
    if isHeld { return .waiting }
    isHeld = true
    return .helping
  }

  mutating func add(_ block: @escaping @Sendable () -> Void) -> Call {
    items.append(.block(block))
    return scheduleTurnIfNeeded()
  }

  mutating func beginTurn() -> Bool {
    isTurnScheduled = false
    guard !isHeld, !isEmpty else { return false }
    isHeld = true
    return true
  }

  /// Takes the next item for the thread that holds the queue.
  ///
  /// A waiter holds it from then on.
  mutating func next() -> Item? {
    guard !isEmpty else { return nil }
    let item = items[first]
    first += 1
    if first == items.count {
      items.removeAll(keepingCapacity: first <= Limits.keptQueueItems)
      first = 0
    } else if first >= Limits.keptQueueItems {
      items.removeFirst(first)
      first = 0
    }
    return item
  }

  mutating func leave() -> Release {
    if !isEmpty, case .waiter(let waiter) = items[first] {
      _ = next()
      return .wake(waiter)
    }
    isHeld = false
    return scheduleTurnIfNeeded() == .scheduleTurn ? .scheduleTurn : .nothing
  }

  private mutating func scheduleTurnIfNeeded() -> Call {
    guard !isHeld, !isTurnScheduled, !isEmpty else { return .nothing }
    isTurnScheduled = true
    return .scheduleTurn
  }
}
