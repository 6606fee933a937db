internal import Dispatch
internal import RecordStorage
internal import Synchronization

/// Queues writes for the single writer, which takes up to `groupCount` of them at once.
final class WriteQueue: Sendable {
  private struct State {
    var waiting = JobQueue()
    var isWriterBusy = false
    var isClosed = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "parhelion.storage.writer")
  /// Used only on `queue`; the mutex satisfies the compiler.
  private let writer: Mutex<GroupWriter>
  private let groupCount: Int

  init(_ writer: sending GroupWriter, groupCount: Int) {
    self.writer = Mutex(writer)
    self.groupCount = groupCount
  }

  func submit(_ job: any PendingTransaction) {
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(job)
      if !state.isWriterBusy {
        state.isWriterBusy = true
        // Under the lock, so that `close()` cannot close the writer first.
        queue.async { self.writeUntilNothingWaits() }
      }
      return true
    }
    if !isAccepted { job.reject(StorageError.closedStore) }
  }

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Completes the queued writes, rejects later ones, and closes the writer.
  func close() async {
    state.withLock { $0.isClosed = true }
    await withCheckedContinuation { waiter in
      queue.async {
        // A connection that cannot be closed now closes with its last reference.
        self.writer.withLock { writer in do { try writer.close() } catch {} }
        waiter.resume()
      }
    }
  }

  private func writeUntilNothingWaits() {
    writer.withLock { writer in
      while true {
        let jobs = nextJobs()
        if jobs.isEmpty { return }
        writer.run(jobs)
      }
    }
  }

  /// The writer's next jobs; an empty array makes it idle.
  private func nextJobs() -> [any PendingTransaction] {
    state.withLock { state in
      let jobs = state.waiting.takeFirst(groupCount)
      if jobs.isEmpty { state.isWriterBusy = false }
      return jobs
    }
  }
}

extension StorageError {
  static var closedStore: StorageError {
    StorageError(.closed, "the store was closed; open it again")
  }
}
