import Foundation

/// The processor time of a closure on the calling thread, which excludes other work of the machine.
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
