/// The maximum number of bytes in memory for request bodies, and separately for unsent answers.
package struct MemoryLimits: Hashable, Sendable {
  /// The limit of all requests.
  ///
  /// A server with 1 GB then has memory left for the parsed form of bodies.
  package var total = 256 << 20
  /// The limit of one user or program: four of the longest bodies by default.
  ///
  /// For answers, `half` lowers it to four of the longest answers in each of two budgets.
  package var perUser = 64 << 20
  /// The limit of one IPv4 address or IPv6 network, which several people may share.
  ///
  /// `LimitOption` halves it if addresses tell clients apart.
  package var perNetwork = 256 << 20

  package init() {}

  /// The limits of each of two budgets that share the total.
  ///
  /// A user gets at most a quarter of a budget, so that a few slow readers cannot hold all of it.
  var half: MemoryLimits {
    var limits = self
    limits.total = max(1, total / 2)
    limits.perNetwork = max(1, perNetwork / 2)
    limits.perUser = max(1, min(perUser, limits.total / 4))
    return limits
  }

  /// The limits, raised so that the largest single item fits.
  func fitting(_ bytes: Int) -> MemoryLimits {
    var limits = self
    limits.total = max(total, bytes)
    limits.perUser = max(perUser, bytes)
    limits.perNetwork = max(perNetwork, bytes)
    return limits
  }
}
