import CloudWire

extension Client {
  /// The same client with its next request's number; it waits for none before, unless another is
  /// named.
  func numbered(_ number: UInt64, oldest: UInt64? = nil, client: String = "A") -> Client {
    var numbered = self
    numbered.stamp = RequestStamp(client: client, number: number, oldest: oldest ?? number)
    return numbered
  }
}
