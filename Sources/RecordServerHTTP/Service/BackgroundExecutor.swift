internal import Dispatch

/// An executor for the server's background tasks, with a separate queue.
///
/// Swift's shared threads may be busy for long if the server is part of another program, such as a
/// test. Notifications to devices would then be late.
package final class BackgroundExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "parhelion.background")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
