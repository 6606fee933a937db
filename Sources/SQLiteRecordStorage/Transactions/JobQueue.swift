/// A first-in, first-out queue of transactions.
struct JobQueue {
  private var jobs: [any PendingTransaction] = []
  /// The number of leading elements of `jobs` that were taken already.
  private var taken = 0

  var isEmpty: Bool { count == 0 }
  var count: Int { jobs.count - taken }

  mutating func append(_ job: any PendingTransaction) { jobs.append(job) }

  mutating func takeFirst() -> (any PendingTransaction)? {
    guard !isEmpty else { return nil }
    defer { forgetTaken() }
    taken += 1
    return jobs[taken - 1]
  }

  /// Takes up to `count` jobs.
  mutating func takeFirst(_ count: Int) -> [any PendingTransaction] {
    let first = Array(jobs[taken...].prefix(count))
    taken += first.count
    forgetTaken()
    return first
  }

  /// Frees the space of taken jobs now and then.
  private mutating func forgetTaken() {
    if isEmpty {
      jobs.removeAll(keepingCapacity: true)
      taken = 0
    } else if taken > 1_000 {
      jobs.removeFirst(taken)
      taken = 0
    }
  }
}
