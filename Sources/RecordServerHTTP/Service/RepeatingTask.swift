internal import Dispatch
internal import Synchronization

/// Calls a closure repeatedly at a fixed interval.
final class RepeatingTask: Sendable {
  private let queue = DispatchQueue(label: "parhelion.rounds")
  private let isStopped = Atomic(false)
  private let interval: DispatchTimeInterval
  private let body: @Sendable () -> Void

  init(every duration: Duration, _ body: @escaping @Sendable () -> Void) {
    interval = .milliseconds(Int(duration / .milliseconds(1)))
    self.body = body
    schedule()
  }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func schedule() {
    queue.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self, !isStopped.load(ordering: .relaxed) else { return }
      body()
      schedule()
    }
  }
}
