import Dispatch

/// Runs tasks on threads of their own, so that a body may wait there for another task.
final class BlockingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "storage conformance", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
