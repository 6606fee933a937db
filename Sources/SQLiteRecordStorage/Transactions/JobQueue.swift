/// Transactions in the order they were asked for.
struct JobQueue {
  private var jobs: [any PendingTransaction] = []
  /// How many of `jobs` were taken already.
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

  /// Takes up to `count`.
  mutating func takeFirst(_ count: Int) -> [any PendingTransaction] {
    let first = Array(jobs[taken...].prefix(count))
    taken += first.count
    forgetTaken()
    return first
  }

  /// Gives the room of what was taken back, now and then.
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
