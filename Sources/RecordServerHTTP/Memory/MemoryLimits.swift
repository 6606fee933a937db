/// The most bytes that bodies of requests, and likewise answers that are not sent yet, hold in
/// memory.
package struct MemoryLimits: Hashable, Sendable {
  /// Of all requests: a server of 1 GB keeps room for what the bodies become when they are parsed.
  package var total = 256 << 20
  /// Of one user or program: four of the longest bodies, or eight of the longest answers.
  package var perUser = 64 << 20
  /// Of one network address, or of one network of IPv6: people behind one address share it.
  ///
  /// `LimitOption` halves it if addresses tell clients apart.
  package var perNetwork = 256 << 20

  package init() {}

  /// The limits of one of two budgets that share the total.
  ///
  /// A user gets a quarter at most: few slow readers must not hold all of it.
  var half: MemoryLimits {
    var limits = self
    limits.total = max(1, total / 2)
    limits.perNetwork = max(1, perNetwork / 2)
    limits.perUser = max(1, min(perUser, limits.total / 4))
    return limits
  }

  /// The limits, raised so that the longest single item fits everywhere.
  func fitting(_ bytes: Int) -> MemoryLimits {
    var limits = self
    limits.total = max(total, bytes)
    limits.perUser = max(perUser, bytes)
    limits.perNetwork = max(perNetwork, bytes)
    return limits
  }
}
