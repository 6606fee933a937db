import Dispatch
package import Foundation

/// The client's dependencies: clock, timers, randomness and network changes.
///
/// Tests and simulations replace them.
package struct ClientDependencies: Sendable {
  package var now: @Sendable () -> Date
  /// A monotonic clock for time limits, unaffected by changes of the system time.
  package var monotonicNow: @Sendable () -> Date
  /// Waits for a duration.
  ///
  /// Throws if the task is cancelled.
  package var wait: @Sendable (Duration) async throws -> Void
  /// Waits before a retry; nil to use `wait`.
  package var pause: (@Sendable (Duration) async throws -> Void)?
  /// Returns a random number from 0 to 1.
  package var chance: @Sendable () -> Double
  /// Returns a new unique name.
  package var makeName: @Sendable () -> String
  /// Returns when the network may have changed, or when the task is cancelled.
  package var networkChange: @Sendable () async -> Void
  /// Whether time passes by itself.
  ///
  /// With a clock that only a test moves, optional delays are skipped.
  package var isRealTime = false

  package init(
    now: @escaping @Sendable () -> Date, wait: @escaping @Sendable (Duration) async throws -> Void,
    chance: @escaping @Sendable () -> Double, makeName: @escaping @Sendable () -> String,
    networkChange: @escaping @Sendable () async -> Void = {
      for await _ in AsyncStream<Never>.makeStream().stream {}
    }
  ) {
    self.now = now
    monotonicNow = now
    self.wait = wait
    self.chance = chance
    self.makeName = makeName
    self.networkChange = networkChange
  }

  /// The system's clock and randomness.
  package static let machine = {
    var machine = ClientDependencies(
      now: { Date() }, wait: { try await timer($0) }, chance: { Double.random(in: 0...1) },
      makeName: { UUID().uuidString }, networkChange: { await NetworkChanges.machine.next() })
    machine.isRealTime = true
    let (start, beginning) = (Date(), ContinuousClock.now)
    machine.monotonicNow = { start + beginning.duration(to: .now) / .seconds(1) }
    return machine
  }()

  /// Waits before the next attempt to use the network.
  ///
  /// Returns early if the network changes or the server responds to another request.
  ///
  /// - Parameter answer: Returns when the server has responded to another request; nil to ignore
  ///   such responses.
  package func waitForNetwork(
    atMost wait: Duration, orUntil answer: (@Sendable () async -> Void)? = nil
  ) async {
    let hasChanged = await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        try? await self.wait(wait)
        return false
      }
      group.addTask {
        await networkChange()
        return true
      }
      if let answer {
        group.addTask {
          await answer()
          return false
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    if hasChanged, !Task.isCancelled { try? await self.wait(min(wait, Self.settling)) }
  }

  /// The wait after a network change: addresses appear before routes and name servers.
  private static let settling = Duration.seconds(1)

  /// Returns when a timer fires; throws immediately if the task is cancelled.
  private static func timer(_ wait: Duration) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) {
      continuation.finish()
    }
    for await _ in stream {}
    try Task.checkCancellation()
  }
}
