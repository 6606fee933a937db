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

  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(300)

  /// Returns a random delay between half of the limit and the limit, which doubles with each
  /// failure.
  ///
  /// The randomness spreads devices that lost their server at the same time.
  ///
  /// - Parameter chance: A random number from 0 up to 1.
  package func duration(chance: Double) -> Duration {
    let doubled = Self.shortest * (1 << min(max(0, failures - 1), 20))
    return max(
      min(doubled, Self.longest) * (0.5 + chance / 2), min(asked ?? .zero, Self.longest * 12))
  }
}
