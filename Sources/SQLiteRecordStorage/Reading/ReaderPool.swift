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
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      if let reader = freeReader(&state) {
        // Under the lock, so that `close()` cannot close the reader first.
        reader.start(job) { self.nextJob(for: reader) }
      } else {
        state.waiting.append(job)
      }
      return true
    }
    if !isAccepted { job.reject(StorageError.closedStore) }
  }

  /// Completes the queued reads, rejects later ones, and closes all connections.
  func close() async {
    let readers = state.withLock { state in
      state.isClosed = true
      return state.readers
    }
    for reader in readers { await reader.close() }
  }

  /// An idle or a new reader, or nil if all are busy.
  private func freeReader(_ state: inout State) -> Reader? {
    if let reader = state.idle.popLast() { return reader }
    guard state.readers.count < capacity else { return nil }
    let reader = Reader(path: path)
    state.readers.append(reader)
    return reader
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
