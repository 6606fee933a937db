import CloudWire

extension Client {
  /// The same client, with a number for its next request.
  ///
  /// By default, every earlier request has its response.
  func numbered(_ number: UInt64, oldest: UInt64? = nil, client: String = "A") -> Client {
    var numbered = self
    numbered.stamp = RequestStamp(client: client, number: number, oldest: oldest ?? number)
    return numbered
  }
}
