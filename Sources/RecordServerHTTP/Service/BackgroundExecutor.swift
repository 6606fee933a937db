internal import Dispatch

/// Where the server works behind its requests: a queue of its own, which nothing else in the
/// process can hold up.
///
/// The threads that all tasks share may be busy for long where a server is part of another program,
/// as in tests, and devices would be told late.
package final class BackgroundExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "parhelion.background")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
