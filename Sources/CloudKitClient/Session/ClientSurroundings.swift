import Dispatch
package import Foundation

/// What the client takes from the world: time, waiting, and chance.
///
/// Tests and simulations give their own.
package struct ClientSurroundings: Sendable {
  package var now: @Sendable () -> Date
  /// Waits, or throws where the task is cancelled meanwhile.
  package var wait: @Sendable (Duration) async throws -> Void
  /// A number from 0 to 1.
  package var chance: @Sendable () -> Double
  /// A new name that nobody else has.
  package var makeName: @Sendable () -> String

  package init(
    now: @escaping @Sendable () -> Date, wait: @escaping @Sendable (Duration) async throws -> Void,
    chance: @escaping @Sendable () -> Double, makeName: @escaping @Sendable () -> String
  ) {
    self.now = now
    self.wait = wait
    self.chance = chance
    self.makeName = makeName
  }

  /// The machine's clock and its chance.
  package static let machine = ClientSurroundings(
    now: { Date() }, wait: { try await timer($0) }, chance: { Double.random(in: 0...1) },
    makeName: { UUID().uuidString })

  /// Comes back when a timer has run out, or at once where the task is cancelled.
  private static func timer(_ wait: Duration) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue.global().asyncAfter(deadline: .now() + wait / .seconds(1)) { continuation.finish() }
    for await _ in stream {}
    try Task.checkCancellation()
  }
}
