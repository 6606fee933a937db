/// The delays between failed attempts.
///
/// The limit of a delay doubles with each failure. A delay lies between half of its limit and the
/// limit, so that clients that failed together do not retry together.
package struct BackOff: Hashable, Sendable {
  /// The first limit.
  package var first: Duration
  /// The highest limit.
  package var longest: Duration

  package init(first: Duration, longest: Duration) {
    (self.first, self.longest) = (first, longest)
  }

  /// Returns the delay after a number of failures in a row.
  ///
  /// - Parameter chance: A random number from 0 to 1.
  package func delay(afterFailures failures: Int, chance: Double) -> Duration {
    let doubled = first * (1 << min(max(0, failures - 1), 20))
    return min(doubled, longest) * (0.5 + chance / 2)
  }

  /// Returns the delay that a server asked for, and up to a quarter more.
  ///
  /// - Parameter chance: A random number from 0 to 1.
  package static func serverDelay(_ asked: Duration, chance: Double) -> Duration {
    asked * (1 + chance / 4)
  }
}
