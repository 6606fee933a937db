import Dispatch

/// Runs tasks on threads of their own, so that a body may wait there for another task.
///
/// A concurrent queue would not do: its threads are those of Swift's own tasks, which are as many
/// as the machine has cores.
final class BlockingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    DispatchQueue(label: "storage conformance").async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}
