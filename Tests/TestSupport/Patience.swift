public import Dispatch

/// How tests wait for what must happen.
extension DispatchSemaphore {
  /// Waits for a signal; false where none comes.
  ///
  /// It waits for longer than a busy machine can take, since only a failure waits to the end.
  public func waitPatiently() -> Bool { wait(timeout: .now() + .seconds(600)) == .success }
}
