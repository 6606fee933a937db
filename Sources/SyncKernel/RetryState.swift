package import Foundation

/// The wait for the next attempt after failures in a row.
///
/// It has two parts: the back-off, and the wait that the server asked for. When the network
/// returns, only the back-off ends.
package struct RetryState: Equatable, Sendable {
  private let backOff: BackOff
  private var failures = 0
  private var wait: TimedWait?
  private var serverWait: TimedWait?

  package init(_ backOff: BackOff) { self.backOff = backOff }

  /// The end of the wait; nil if there is none.
  package var until: Date? { wait?.until }

  /// Whether an attempt has to wait.
  package func isWaiting(at now: Date) -> Bool { wait.map { !$0.isOver(at: now) } ?? false }

  /// Handles a failure.
  ///
  /// - Parameters:
  ///   - asked: The seconds that the server asked for, if it did.
  ///   - chance: A random number from 0 to 1, which spreads the retries of many clients.
  package mutating func failed(retryAfterSeconds asked: Double?, at now: Date, chance: Double) {
    let own = countFailure(chance: chance)
    let server = asked.map { BackOff.serverDelay(.seconds($0), chance: chance) / .seconds(1) }
    wait = TimedWait(from: now, seconds: max(own, server ?? 0))
    serverWait = server.map { TimedWait(from: now, seconds: $0) }
  }

  /// Counts a failure without starting a wait.
  ///
  /// - Returns: The seconds of the failure's back-off.
  package mutating func countFailure(chance: Double) -> Double {
    failures += 1
    return backOff.delay(afterFailures: failures, chance: chance) / .seconds(1)
  }

  /// Ends the back-off, but not the wait that the server asked for.
  package mutating func networkReturned() { wait = serverWait }

  /// Ends all waits.
  ///
  /// The next failure still backs off longer than the last one.
  package mutating func endWait() { (wait, serverWait) = (nil, nil) }

  /// Handles a success.
  package mutating func succeeded() { self = RetryState(backOff) }
}
