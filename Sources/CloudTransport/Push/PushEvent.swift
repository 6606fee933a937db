import SyncKernel

/// An event of a push channel.
package enum PushEvent: Hashable, Sendable {
  /// The device listens from now on. Earlier changes may have been missed, so fetch once.
  case listening
  /// A notification, in the server's JSON.
  case notification([UInt8])
  /// The version of the schema of the device's container and environment, as opaque text.
  ///
  /// It arrives at the start of each stream and after each change.
  case schema(String)
  /// The server does not know the device, or does not let it listen.
  ///
  /// No more events follow. Create another token and another channel.
  case refused(status: Int)
}

/// The delay before a channel reconnects.
package struct PushBackoff: Hashable, Sendable {
  /// The number of failed attempts in a row.
  package var failures: Int
  /// The minimum delay that the server asked for.
  package var asked: Duration?

  package init(failures: Int, asked: Duration? = nil) {
    self.failures = failures
    self.asked = asked
  }

  private static let backOff = BackOff(first: .seconds(1), longest: .seconds(300))

  /// Returns the delay, which is at most an hour, whatever the server asked for.
  ///
  /// - Parameter chance: A random number from 0 to 1.
  package func duration(chance: Double) -> Duration {
    let own = Self.backOff.delay(afterFailures: failures, chance: chance)
    return max(own, min(asked ?? .zero, .seconds(3_600)))
  }
}
