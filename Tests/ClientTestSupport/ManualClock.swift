package import CloudKitClient
package import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Sendable {
  private struct Waiter {
    var until: Date
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Date(timeIntervalSince1970: 1_700_000_000)
    var sleepers: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []
    var observers: [CheckedContinuation<TimeInterval, Never>] = []
    var networkObservers: [AsyncStream<Void>.Continuation] = []
    var nextNumber = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The dependencies of a client, with this clock, and with a network that changes when the test
  /// requests it.
  package var dependencies: ClientDependencies {
    ClientDependencies(
      now: { self.state.withLock { $0.now } }, wait: { try await self.wait($0) }, chance: { 1 },
      makeName: { UUID().uuidString }, networkChange: { await self.networkChange() })
  }

  private func networkChange() async {
    let (changes, line) = AsyncStream<Void>.makeStream()
    state.withLock { $0.networkObservers.append(line) }
    for await _ in changes { return }
  }

  /// Notifies all waiting tasks that the network has changed.
  package func changeNetwork() {
    let observers = state.withLock { state in
      defer { state.networkObservers = [] }
      return state.networkObservers
    }
    for observer in observers { observer.yield() }
  }

  /// Whether a task waits for the network to change.
  package var hasNetworkObservers: Bool { state.withLock { !$0.networkObservers.isEmpty } }

  private func wait(_ duration: Duration) async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let observers = state.withLock { state -> [CheckedContinuation<TimeInterval, Never>]? in
          guard state.cancelled.remove(number) == nil else { return nil }
          state.sleepers[number] = Waiter(
            until: state.now + duration / .seconds(1), continuation: continuation)
          defer { state.observers = [] }
          return state.observers
        }
        guard let observers else { return continuation.resume(throwing: CancellationError()) }
        for observer in observers { observer.resume(returning: duration / .seconds(1)) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Waits until a task waits for a time, and returns the seconds until the earliest.
  package func nextAlarm() async -> TimeInterval {
    await withCheckedContinuation { continuation in
      let seconds: TimeInterval? = state.withLock { state in
        if let until = state.sleepers.values.map(\.until).min() {
          return until.timeIntervalSince(state.now)
        }
        state.observers.append(continuation)
        return nil
      }
      if let seconds { continuation.resume(returning: seconds) }
    }
  }

  /// Moves the clock.
  package func advance(by seconds: TimeInterval) {
    let due = state.withLock { state in
      state.now += seconds
      let now = state.now + 0.000_001
      let due = state.sleepers.filter { $0.value.until <= now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { $0.key < $1.key }.map(\.value)
    }
    for sleeper in due { sleeper.continuation.resume() }
  }
}
