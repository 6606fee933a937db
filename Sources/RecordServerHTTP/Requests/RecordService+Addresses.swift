import HTTPServer

/// Who asks, and how the server is called by who asks.
extension RecordService {
  /// The address of the server, as a client that sent a request can reach it: scheme, host and
  /// port.
  func address(of request: HTTPRequest) -> String {
    if let address = settings.publicAddress { return address }
    guard !request.head.authority.isEmpty else { return "" }
    return "\(isSecure(request) ? "https" : "http")://\(request.head.authority)"
  }

  /// Whether the client speaks TLS, be it with the proxy.
  func isSecure(_ request: HTTPRequest) -> Bool {
    if let address = settings.publicAddress { return address.hasPrefix("https:") }
    guard settings.trustsProxy, let scheme = request.headers["x-forwarded-proto"] else {
      return request.isSecure
    }
    return scheme == "https"
  }

  /// The network address that a request comes from.
  func clientHost(of request: HTTPRequest) -> String { clientAddress(of: request).host }

  /// What the limits of one client count by: an address of IPv4, or the network of 64 bits that a
  /// household gets of IPv6.
  func clientNetwork(of request: HTTPRequest) -> String { clientAddress(of: request).network.host }

  /// Of the addresses that proxies name, the last was written by the one in front of this server;
  /// those before it by anybody.
  private func clientAddress(of request: HTTPRequest) -> SocketAddress {
    guard settings.trustsProxy, let named = request.headers.values(of: "x-forwarded-for").last,
      let last = named.split(separator: ",").last.map({ $0.filter { $0 != " " } }),
      let address = SocketAddress(last, port: 0)
    else { return request.remoteAddress }
    return address
  }
}
