import Dispatch

/// Runs tasks on separate threads, so that a body may block until another task is done.
///
/// A concurrent queue is not enough, since it shares the threads of Swift's tasks, which are as
/// many as the machine has cores.
final class BlockingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue(label: "storage conformance").async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
