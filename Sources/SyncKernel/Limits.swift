/// The limits of the kernel.
package enum KernelLimits {
  /// How long an engine assumes that its subscription exists.
  ///
  /// One request per hour is cheap.
  package static let longestTrust = Duration.seconds(3_600)

  /// How long an engine assumes that its subscription exists after the device has reconnected.
  ///
  /// Devices reconnect often on bad networks.
  package static let shortestTrust = Duration.seconds(60)
}
