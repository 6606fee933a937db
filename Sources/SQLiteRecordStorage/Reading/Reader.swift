internal import Dispatch
internal import RecordStorage
internal import SQLiteDriver
internal import Synchronization

/// A connection that runs reads one after another.
final class Reader: Sendable {
  private let queue = DispatchQueue(label: "parhelion.storage.reader")
  private let path: String
  /// Opened by the first read.
  ///
  /// Used only on `queue`; the mutex satisfies the compiler.
  private let connection = Mutex<Connection?>(nil)

  init(path: String) { self.path = path }

  /// Runs a job, and then each that `next` returns.
  func start(
    _ job: any PendingTransaction, next: @escaping @Sendable () -> (any PendingTransaction)?
  ) {
    queue.async {
      var job: (any PendingTransaction)? = job
      while let running = job {
        self.run(running)
        job = next()
      }
    }
  }

  func close() async {
    await withCheckedContinuation { waiter in
      queue.async {
        self.connection.withLock { connection in connection = nil }
        waiter.resume()
      }
    }
  }

  private func run(_ job: any PendingTransaction) {
    guard job.begin() else { return }
    do {
      try connection.withLock { connection in
        try StorageError.translating {
          let opened = try connection ?? StoreConnection.openReader(path)
          connection = opened
          try opened.transaction(.deferred) { try SQLiteTransaction(on: opened).run(job) }
        }
      }
      job.finish(nil)
    } catch {
      job.finish(error)
    }
  }
}
