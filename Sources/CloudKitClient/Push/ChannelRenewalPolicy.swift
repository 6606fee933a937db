import CloudTransport
import Foundation

/// Decides when a device requests another push token.
///
/// After the first rejection of a token, the device requests another one immediately, because the
/// server may only have forgotten the device. If that fails too, for example because the user has
/// to sign in first, the back-off grows.
struct ChannelRenewalPolicy {
  /// The lifetime, in seconds, from which a channel resets the back-off.
  private static let steady: TimeInterval = 30
  /// The number of failures at which the back-off stops growing, at about a minute.
  private static let countedFailures = 7

  /// The failures since the last good channel.
  private var failures = 0

  /// Handles a token that the server rejected.
  ///
  /// - Parameter seconds: How long the device has listened with the token.
  /// - Returns: The back-off; nil to request a new token immediately.
  mutating func refused(after seconds: TimeInterval) -> PushBackoff? {
    if seconds >= Self.steady { failures = 0 }
    defer { failures += 1 }
    return failures == 0 ? nil : pause(asked: nil)
  }

  /// Handles a failed request for a token.
  ///
  /// - Parameter seconds: The minimum delay that the server asked for, if it did.
  /// - Returns: The back-off.
  mutating func failed(asked seconds: TimeInterval?) -> PushBackoff {
    failures += 1
    return pause(asked: seconds)
  }

  private func pause(asked seconds: TimeInterval?) -> PushBackoff {
    PushBackoff(failures: min(failures, Self.countedFailures), asked: seconds.map { .seconds($0) })
  }
}
