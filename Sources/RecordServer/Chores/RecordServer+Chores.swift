package import CloudRecords
import RecordStorage

extension RecordServer {
  /// Does what is due behind the requests: erases deleted zones, throws old tombstones away, makes indexes that queries
  /// wished for, finishes what a crash interrupted.
  ///
  /// To be called when the server starts, and every minute. It costs what there is to do, in transactions that never keep the
  /// writers waiting for long. Several servers may do so on one storage.
  ///
  /// - Returns: How many chores were done.
  /// - Throws: What went wrong first; the other chores were done, and this one is tried again next time.
  @discardableResult
  package func doChores() async throws(CloudError) -> Int {
    try await grantWishes()
    let now = environment.now()
    var count = 0
    var failure: CloudError?
    var last: Chore?
    while let chore = try await next(after: last, at: now) {
      last = chore
      do throws(CloudError) {
        try await perform(chore, at: now)
        count += 1
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return count
  }

  private func next(after chore: Chore?, at now: Timestamp) async throws(CloudError) -> Chore? {
    try await read(nil) { try Chore.next(after: chore, dueAt: now, in: $0) }
  }

  private func perform(_ chore: Chore, at now: Timestamp) async throws(CloudError) {
    if chore.kind == .replaceSchema {
      try await finishReplacement(of: chore.realm)
      return try await write(nil) { try chore.remove(in: $0) }
    }
    let limits = limits
    var isDone = false
    while !isDone {
      isDone = try await write(nil) { transaction in
        let isDone = try ZoneChore(chore, limits, now, transaction).step()
        if isDone { try chore.remove(in: transaction) }
        return isDone
      }
    }
  }
}
