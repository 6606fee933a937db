import Dispatch
package import Foundation

/// What the client takes from the world: time, waiting, and chance.
///
/// Tests and simulations give their own.
package struct ClientDependencies: Sendable {
  package var now: @Sendable () -> Date
  /// A clock that nobody sets, for limits of time: it says how much has passed, and not what date
  /// it is.
  package var steady: @Sendable () -> Date
  /// Waits, or throws where the task is cancelled meanwhile.
  package var wait: @Sendable (Duration) async throws -> Void
  /// Waits before a request is sent again, where that is another wait than others.
  package var pause: (@Sendable (Duration) async throws -> Void)?
  /// A number from 0 to 1.
  package var chance: @Sendable () -> Double
  /// A new name that nobody else has.
  package var makeName: @Sendable () -> String
  /// Comes back when there may be another network than before, or when the task is cancelled.
  package var networkChange: @Sendable () async -> Void
  /// Whether time goes by without anybody's doing: by a clock that stands, nothing is put off that
  /// nobody asked to be put off.
  package var goesByItself = false

  package init(
    now: @escaping @Sendable () -> Date, wait: @escaping @Sendable (Duration) async throws -> Void,
    chance: @escaping @Sendable () -> Double, makeName: @escaping @Sendable () -> String,
    networkChange: @escaping @Sendable () async -> Void = {
      for await _ in AsyncStream<Never>.makeStream().stream {}
    }
  ) {
    self.now = now
    steady = now
    self.wait = wait
    self.chance = chance
    self.makeName = makeName
    self.networkChange = networkChange
  }

  /// The machine's clock and its chance.
  package static let machine = {
    var machine = ClientDependencies(
      now: { Date() }, wait: { try await timer($0) }, chance: { Double.random(in: 0...1) },
      makeName: { UUID().uuidString }, networkChange: { await NetworkChanges.machine.next() })
    machine.goesByItself = true
    let (start, beginning) = (Date(), ContinuousClock.now)
    machine.steady = { start + beginning.duration(to: .now) / .seconds(1) }
    return machine
  }()

  /// Waits until a network can be tried again: less where it changes meanwhile, or where the server
  /// answers another request.
  ///
  /// - Parameter answer: Returns when the server has answered another request; nil where no request
  ///   is looked at.
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

  /// A network that comes is not there at once: addresses come before routes and names.
  private static let settling = Duration.seconds(1)

  /// Comes back when a timer has run out, or at once where the task is cancelled.
  private static func timer(_ wait: Duration) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) {
      continuation.finish()
    }
    for await _ in stream {}
    try Task.checkCancellation()
  }
}
