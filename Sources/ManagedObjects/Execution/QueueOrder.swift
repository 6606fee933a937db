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

  /// The next items, in reverse order.
  private var next: [Item] = []
  /// The items that come after them, in order.
  private var added: [Item] = []
  private var isHeld = false
  /// Whether a run on the block queue was requested and has not begun.
  private var isTurnScheduled = false

  private var isEmpty: Bool { next.isEmpty && added.isEmpty }

  mutating func enterIfIdle() -> Bool {
    guard !isHeld, isEmpty else { return false }
    isHeld = true
    return true
  }

  mutating func enter(_ waiter: QueueWaiter) -> Entry {
    added.append(.waiter(waiter))
    if isHeld { return .waiting }
    isHeld = true
    return .helping
  }

  mutating func add(_ block: @escaping @Sendable () -> Void) -> Call {
    added.append(.block(block))
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
  /// If the item is a waiter, the waiter's thread holds the queue from then on.
  mutating func takeNext() -> Item? {
    prepareNext()
    let item = next.popLast()
    if next.isEmpty, next.capacity > Limits.keptQueueItems { next = [] }
    return item
  }

  mutating func leave() -> Release {
    prepareNext()
    if case .waiter(let waiter) = next.last {
      _ = takeNext()
      return .wake(waiter)
    }
    isHeld = false
    return scheduleTurnIfNeeded() == .scheduleTurn ? .scheduleTurn : .nothing
  }

  /// Turns the added items into the next ones, if no others are left.
  private mutating func prepareNext() {
    guard next.isEmpty, !added.isEmpty else { return }
    swap(&next, &added)
    next.reverse()
  }

  private mutating func scheduleTurnIfNeeded() -> Call {
    guard !isHeld, !isTurnScheduled, !isEmpty else { return .nothing }
    isTurnScheduled = true
    return .scheduleTurn
  }
}
