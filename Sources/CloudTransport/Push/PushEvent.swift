/// What a device hears of.
package enum PushEvent: Hashable, Sendable {
  /// The device listens from now on. What happened before it may not have been told: fetch once.
  case listening
  /// A notification, in the server's JSON.
  case notification([UInt8])
  /// The version of the schema of the device's container and environment, an opaque text: at the
  /// start of each stream, and after each change.
  case schema(String)
  /// The server does not know the device, or does not let it listen. Nothing more comes: make
  /// another token, and another channel.
  case refused(status: Int)
}

/// How long a channel waits before it tries again.
package struct PushBackoff: Hashable, Sendable {
  /// How many attempts have failed, one after the other.
  package var failures: Int
  /// The least that the server asked for.
  package var asked: Duration?

  package init(failures: Int, asked: Duration? = nil) {
    self.failures = failures
    self.asked = asked
  }

  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(300)

  /// Twice as long each time, and at least half of it: devices that lost their server together do
  /// not come back together.
  ///
  /// - Parameter chance: A random number from 0 up to 1.
  package func duration(chance: Double) -> Duration {
    let doubled = Self.shortest * (1 << min(max(0, failures - 1), 20))
    return max(
      min(doubled, Self.longest) * (0.5 + chance / 2), min(asked ?? .zero, Self.longest * 12))
  }
}
