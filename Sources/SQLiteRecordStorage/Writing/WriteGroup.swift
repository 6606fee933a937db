/// The transactions of one commit, and how each of them ended.
struct WriteGroup {
  /// A transaction threw in the middle of its writes.
  struct PartialWriteError: Error {}

  struct Member {
    let job: any PendingTransaction
    /// What its body threw.
    var error: (any Error)?
  }

  /// Jobs that were looked at, those included that were cancelled.
  private(set) var takenCount = 0
  /// The jobs that were begun.
  var members: [Member] = []

  /// - Returns: Whether the job is still wanted.
  mutating func take(_ job: any PendingTransaction) -> Bool {
    takenCount += 1
    guard job.begin() else { return false }
    members.append(Member(job: job))
    return true
  }

  mutating func take(all jobs: ArraySlice<any PendingTransaction>) {
    for job in jobs { _ = take(job) }
  }

  mutating func lastRefused(_ error: any Error) { members[members.count - 1].error = error }

  /// Lets everybody whose body went well work on what it gave, while all is committed.
  func tell() {
    for member in members where member.error == nil { member.job.tell() }
  }

  /// Answers everybody as it was for each.
  func finish() {
    for member in members { member.job.finish(member.error) }
  }

  /// Answers everybody with the error that undid all of them.
  func fail(_ error: any Error) {
    for member in members { member.job.finish(error) }
  }
}
