/// The transactions of one commit, and how each of them ended.
struct WriteGroup {
  /// The transaction has nothing in it that anybody wants.
  struct Abandoned: Error {}

  /// Jobs that were looked at, those included that were cancelled.
  private(set) var takenCount = 0
  private var succeeded: [any PendingTransaction] = []
  private var refused: [(job: any PendingTransaction, error: any Error)] = []

  /// Whether a rollback of everything would undo a transaction that succeeded.
  var hasChanges: Bool { !succeeded.isEmpty }

  /// - Returns: Whether the job is still wanted.
  mutating func take(_ job: any PendingTransaction) -> Bool {
    takenCount += 1
    return job.begin()
  }

  mutating func take(all jobs: ArraySlice<any PendingTransaction>) {
    for job in jobs where take(job) { succeeded.append(job) }
  }

  mutating func succeeded(_ job: any PendingTransaction) { succeeded.append(job) }

  mutating func refused(_ job: any PendingTransaction, _ error: any Error) { refused.append((job, error)) }

  /// Answers everybody as it was for each.
  func finish() {
    for job in succeeded { job.finish(nil) }
    for (job, error) in refused { job.finish(error) }
  }

  /// Answers everybody with the error that undid all of them.
  func fail(_ error: any Error) {
    for job in succeeded { job.finish(error) }
    for (job, _) in refused { job.finish(error) }
  }
}
