/// Performs an action on a loop after a delay.
actor LoopTimer: EventObserver {
  private nonisolated let loop: EventLoop
  private var descriptor: WakeUp?
  private var action: (@Sendable () async -> Void)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) { self.loop = loop }

  func start(_ delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    // A deadline needs a descriptor as its key. If none is available, the timer fires at once.
    guard let wakeUp = try? WakeUp(), (try? loop.watch(wakeUp.descriptor, [], self)) != nil else {
      Task { await action() }
      return
    }
    loop.setDeadline(wakeUp.descriptor, MonotonicTime.now() &+ delay.nanoseconds)
    descriptor = consume wakeUp
    self.action = action
  }

  func stop() {
    action = nil
    if let watched = descriptor?.descriptor { loop.forget(watched) }
    descriptor = nil
  }

  nonisolated func ready(_ events: Poller.Events) {}

  nonisolated func deadlineReached() {
    assumeIsolated { timer in
      guard let action = timer.action else { return }
      Task { await action() }
    }
  }
}
