/// The transactions of one commit, and their results.
struct WriteGroup {
  /// A transaction threw after it had written.
  struct PartialWriteError: Error {}

  struct Member {
    let job: any PendingTransaction
    /// The error that its body threw.
    var error: (any Error)?
  }

  /// The number of jobs that were taken, including cancelled ones.
  private(set) var takenCount = 0
  /// The jobs that were begun.
  var members: [Member] = []

  /// Begins a job and adds it to the group, unless it was cancelled.
  ///
  /// - Returns: False if the job was cancelled.
  mutating func take(_ job: any PendingTransaction) -> Bool {
    takenCount += 1
    guard job.begin() else { return false }
    members.append(Member(job: job))
    return true
  }

  mutating func take(all jobs: ArraySlice<any PendingTransaction>) {
    for job in jobs { _ = take(job) }
  }

  mutating func recordFailure(_ error: any Error) { members[members.count - 1].error = error }

  /// Delivers the results of all successful bodies to their callers, during the commit.
  func deliver() {
    for member in members where member.error == nil { member.job.deliver() }
  }

  /// Resumes each caller with its own result.
  func finish() {
    for member in members { member.job.finish(member.error) }
  }

  /// Resumes all callers with the error that rolled back the group.
  func fail(_ error: any Error) {
    for member in members { member.job.finish(error) }
  }
}
