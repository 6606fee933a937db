import Foundation

/// The processor's time that a closure takes on the calling thread: other work of the machine does
/// not count.
public func processorTime(_ body: () throws -> Void) rethrows -> Duration {
  let begin = processorTimeOfThread()
  try body()
  return processorTimeOfThread() - begin
}

private func processorTimeOfThread() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}
