import CloudWire

extension Client {
  /// The same client with its next request's number.
  ///
  /// It waits for no earlier request unless one is named.
  func numbered(_ number: UInt64, oldest: UInt64? = nil, client: String = "A") -> Client {
    var numbered = self
    numbered.stamp = RequestStamp(client: client, number: number, oldest: oldest ?? number)
    return numbered
  }
}
