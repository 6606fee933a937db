internal import RecordStorage
internal import Synchronization

/// Distributes reads to a pool of readers, each with its own connection and snapshot.
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

  /// Completes the queued reads, rejects later ones, and closes all connections.
  func close() async {
    let readers = state.withLock { state in
      state.isClosed = true
      return state.readers
    }
    for reader in readers { await reader.close() }
  }

  /// The next job of a reader; nil makes the reader idle.
  private func nextJob(for reader: Reader) -> (any PendingTransaction)? {
    state.withLock { state in
      let job = state.waiting.takeFirst()
      if job == nil { state.idle.append(reader) }
      return job
    }
  }
}
