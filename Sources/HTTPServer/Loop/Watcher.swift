/// What a loop tells about a descriptor.
///
/// It calls on its own thread.
protocol Watcher: AnyObject, Sendable {
  /// The descriptor is ready.
  func ready(_ events: Poller.Events)
  /// The time has come that was set for the descriptor.
  func deadlineReached()
}
