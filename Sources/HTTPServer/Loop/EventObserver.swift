/// Receives the events of a descriptor.
///
/// The loop calls it on its own thread.
protocol EventObserver: AnyObject, Sendable {
  /// Called when the descriptor is ready.
  func ready(_ events: Poller.Events)
  /// Called when the descriptor's deadline has passed.
  func deadlineReached()
}
