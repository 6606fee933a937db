internal import RecordStorage
internal import Synchronization

/// Where reads wait for one of the readers; each has a connection, and so a snapshot, of its own.
final class ReaderPool: Sendable {
  private struct State {
    var waiting = JobQueue()
    var readers: [Reader] = []
    var idle: [Reader] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let path: String
  private let capacity: Int

  init(path: String, capacity: Int) {
    self.path = path
    self.capacity = max(1, capacity)
  }

  func submit(_ job: any PendingTransaction) {
    enum Answer { case refused, queued, start(Reader) }
    let answer: Answer = state.withLock { state in
      guard !state.isClosed else { return .refused }
      if let reader = state.idle.popLast() { return .start(reader) }
      if state.readers.count < capacity {
        let reader = Reader(path: path)
        state.readers.append(reader)
        return .start(reader)
      }
      state.waiting.append(job)
      return .queued
    }
    switch answer {
    case .refused: job.refuse(StorageError.closedStore)
    case .queued: break
    case .start(let reader): reader.start(job) { self.nextJob(for: reader) }
    }
  }

  /// Does what waits, refuses what comes later, and closes all connections.
  func close() async {
    let readers = state.withLock { state in
      state.isClosed = true
      return state.readers
    }
    for reader in readers { await reader.close() }
  }

  /// What a reader does next; nil lets it rest.
  private func nextJob(for reader: Reader) -> (any PendingTransaction)? {
    state.withLock { state in
      let job = state.waiting.takeFirst()
      if job == nil { state.idle.append(reader) }
      return job
    }
  }
}
