internal import CHTTPSystem
internal import Glibc

/// A socket that accepts connections.
struct ListeningSocket: ~Copyable, Sendable {
  let descriptor: CInt
  /// The address of the socket, with the port that the system chose if none was configured.
  let address: SocketAddress

  init(_ address: SocketAddress) throws(HTTPServerError) {
    let family = address.isIPv4 ? AF_INET : AF_INET6
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw .system("socket", parhelion_error()) }
    do throws(HTTPServerError) {
      try Self.setOptions(descriptor)
      try Self.bind(descriptor, to: address)
      self.address = try Self.boundAddress(descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  deinit { Glibc.close(descriptor) }

  /// Sets options that each accepted connection inherits, which saves system calls per connection.
  private static func setOptions(_ descriptor: CInt) throws(HTTPServerError) {
    try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    // Responses are written whole, so waiting for more output would only delay them.
    try set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    // Keep-alive probes detect a device that lost its network while neither side sends anything.
    try set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    try set(descriptor, CInt(IPPROTO_TCP), TCP_KEEPIDLE, 60)
    try set(descriptor, CInt(IPPROTO_TCP), TCP_KEEPINTVL, 20)
    try set(descriptor, CInt(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  private static func set(
    _ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: CInt
  ) throws(HTTPServerError) {
    var value = value
    guard
      unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    else {
      throw .system("setsockopt", parhelion_error(), "option \(option)")
    }
  }

  private static func bind(_ descriptor: CInt, to address: SocketAddress) throws(HTTPServerError) {
    guard unsafe address.withSystemAddress({ unsafe Glibc.bind(descriptor, $0, $1) }) == 0 else {
      throw .listening(at: address, parhelion_error())
    }
    guard listen(descriptor, Limits.backlog) == 0 else {
      throw .listening(at: address, parhelion_error())
    }
  }

  private static func boundAddress(_ descriptor: CInt) throws(HTTPServerError) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = unsafe withUnsafeMutableBytes(of: &storage) {
      unsafe getsockname(
        descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    guard result == 0 else { throw .system("getsockname", parhelion_error()) }
    return SocketAddress(system: storage)
  }

  /// The result of accepting a connection.
  enum Accepted {
    case connection(CInt, SocketAddress)
    /// No connection waits.
    case nothing
    /// The waiting connection was already closed.
    case vanished
    case outOfDescriptors
  }

  /// Accepts the first waiting connection.
  func accept() -> Accepted {
    var storage = sockaddr_storage()
    let result = unsafe withUnsafeMutableBytes(of: &storage) {
      unsafe parhelion_accept(descriptor, $0.baseAddress, UInt32($0.count))
    }
    if result >= 0 { return .connection(result, SocketAddress(system: storage)) }
    switch -result {
    case EAGAIN: return .nothing
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .outOfDescriptors
    default: return .vanished
    }
  }
}
