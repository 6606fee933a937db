/// Counts connections and enforces their limits.
package struct ConnectionCounter: Sendable {
  private let maximum: Int
  private let maximumPerNetwork: Int
  private var counts: [SocketAddress: Int] = [:]
  /// The number of connections.
  package private(set) var total = 0

  package init(maximum: Int, maximumPerNetwork: Int) {
    self.maximum = maximum
    self.maximumPerNetwork = maximumPerNetwork
  }

  /// Counts a connection from an address.
  ///
  /// Returns false if it exceeds a limit.
  ///
  /// An IPv6 client counts with its whole network, since it can use any address in it.
  package mutating func admit(_ address: SocketAddress) -> Bool {
    let count = counts[address.network, default: 0]
    guard total < maximum, count < maximumPerNetwork else { return false }
    counts[address.network] = count + 1
    total += 1
    return true
  }

  /// Removes a connection that was admitted.
  package mutating func release(_ address: SocketAddress) {
    guard let count = counts[address.network] else {
      preconditionFailure(
        "A connection from \(address) was released, although it was never admitted.")
    }
    counts[address.network] = count > 1 ? count - 1 : nil
    total -= 1
  }
}
