/// A queue as a serial executor: code isolated to its actors runs on the queue.
extension ExecutionQueue: SerialExecutor {
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  package func checkIsolated() {
    precondition(isCurrent, "The caller is not on the queue \(label).")
  }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
