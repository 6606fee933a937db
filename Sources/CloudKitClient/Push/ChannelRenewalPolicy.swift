import CloudTransport
import Foundation

/// Decides when a device requests a new push token after the server has closed its channel.
///
/// The first token is replaced immediately, because the server may only have forgotten the device.
/// If that fails too, for example because the user has to sign in first, the back-off grows.
struct ChannelRenewalPolicy {
  /// A channel that lasted this long resets the back-off.
  private static let steady: TimeInterval = 30
  /// The number of failures until which the back-off grows, to a minute.
  private static let countedFailures = 7

  /// The failures since the last good channel.
  private var failures = 0

  /// Handles a token that the server rejected.
  ///
  /// - Parameter seconds: How long the device has listened with it.
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
