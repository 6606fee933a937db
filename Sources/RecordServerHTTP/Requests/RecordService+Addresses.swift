import HTTPServer

/// The addresses of clients, and the server's address as clients see it.
extension RecordService {
  /// The address at which the client of a request reaches the server: scheme, host and port.
  func address(of request: HTTPRequest) -> String {
    if let address = settings.publicAddress { return address }
    guard !request.head.authority.isEmpty else { return "" }
    return "\(isSecure(request) ? "https" : "http")://\(request.head.authority)"
  }

  /// Whether the client uses TLS, directly or to a proxy.
  func isSecure(_ request: HTTPRequest) -> Bool {
    if let address = settings.publicAddress { return address.hasPrefix("https:") }
    guard settings.trustsProxy, let scheme = request.headers["x-forwarded-proto"] else {
      return request.isSecure
    }
    return scheme == "https"
  }

  /// The network address of the client.
  func clientHost(of request: HTTPRequest) -> String { clientAddress(of: request).host }

  /// The address or network that the limits of one client apply to: an IPv4 address, or the 64-bit
  /// IPv6 network of one household.
  func clientNetwork(of request: HTTPRequest) -> String { clientAddress(of: request).network.host }

  /// The address of the client.
  ///
  /// The proxy in front of this server wrote the last forwarded address. Anyone can have written
  /// the earlier ones.
  private func clientAddress(of request: HTTPRequest) -> SocketAddress {
    guard settings.trustsProxy, let named = request.headers.values(of: "x-forwarded-for").last,
      let last = named.split(separator: ",").last.map({ $0.filter { $0 != " " } }),
      let address = SocketAddress(last, port: 0)
    else { return request.remoteAddress }
    return address
  }
}
