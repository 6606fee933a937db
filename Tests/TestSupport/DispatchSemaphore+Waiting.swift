public import Dispatch

/// Waiting for events in tests.
extension DispatchSemaphore {
  /// Waits for a signal; returns false at the timeout.
  ///
  /// The timeout is longer than a busy machine can take; only a failure waits that long.
  public func waitPatiently() -> Bool { wait(timeout: .now() + .seconds(600)) == .success }
}
