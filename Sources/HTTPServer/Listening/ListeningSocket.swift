internal import CHTTPSystem
internal import Glibc

/// A socket that connections arrive at.
struct ListeningSocket: ~Copyable, Sendable {
  let descriptor: CInt
  /// Where it listens: with the port that the system chose, where it was to choose.
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

  /// The options are inherited by each connection, which so needs no calls of its own.
  private static func setOptions(_ descriptor: CInt) throws(HTTPServerError) {
    try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    // Responses are written whole: waiting for more to send would only delay them.
    try set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    // A device that lost its radio is found out although it says nothing, and although nothing is
    // said to it.
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
      throw .system("bind", parhelion_error(), "\(address)")
    }
    guard listen(descriptor, Limits.backlog) == 0 else {
      throw .system("listen", parhelion_error(), "\(address)")
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

  /// What came of accepting.
  enum Accepted {
    case connection(CInt, SocketAddress)
    /// Nobody waits.
    case nothing
    /// Somebody waited, and is gone already.
    case vanished
    case outOfDescriptors
  }

  /// Takes the first connection that waits.
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
