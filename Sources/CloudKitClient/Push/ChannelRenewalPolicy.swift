import CloudTransport
import Foundation

/// Decides when a device asks for another token whose channel the server has ended.
///
/// A token that is nobody's any more is replaced at once: the server may have forgotten the device.
/// Where that does not help either, as for who has to sign in first, pauses grow.
struct ChannelRenewalPolicy {
  /// A channel that lasted for so many seconds was a good one.
  private static let steady: TimeInterval = 30
  /// Pauses grow with so many failures: to a minute.
  private static let countedFailures = 7

  /// What went wrong since a channel was good.
  private var failures = 0

  /// The server refused a token.
  ///
  /// - Parameter seconds: How long the device has listened by it.
  /// - Returns: How long to wait; nil where another is asked for at once.
  mutating func refused(after seconds: TimeInterval) -> PushBackoff? {
    if seconds >= Self.steady { failures = 0 }
    defer { failures += 1 }
    return failures == 0 ? nil : pause(asked: nil)
  }

  /// No token was to be had.
  ///
  /// - Parameter seconds: The least that the server asked for; nil if it did not say.
  /// - Returns: How long to wait.
  mutating func failed(asked seconds: TimeInterval?) -> PushBackoff {
    failures += 1
    return pause(asked: seconds)
  }

  private func pause(asked seconds: TimeInterval?) -> PushBackoff {
    PushBackoff(failures: min(failures, Self.countedFailures), asked: seconds.map { .seconds($0) })
  }
}
