/// Does something on a loop once a time is over.
actor LoopTimer: Watcher {
  private nonisolated let loop: EventLoop
  private var descriptor: WakeUp?
  private var action: (@Sendable () async -> Void)?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(on loop: EventLoop) { self.loop = loop }

  func start(_ delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    // A time needs a descriptor to be kept under. Where there is none left, the time is over at
    // once.
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
