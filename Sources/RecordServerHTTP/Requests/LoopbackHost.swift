import HTTPServer

/// The host names by which a program reaches a server on its own machine.
enum LoopbackHost {
  /// Whether an authority, such as `127.0.0.1:8080`, names this machine.
  static func isNamed(by authority: String) -> Bool {
    var host = Substring(authority.lowercased())
    // The text after the last colon is a port, unless the colon belongs to an address in brackets.
    if !host.hasSuffix("]"), let colon = host.lastIndex(of: ":") { host = host[..<colon] }
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return host == "localhost" || SocketAddress(String(host), port: 0)?.isLoopback == true
  }
}
