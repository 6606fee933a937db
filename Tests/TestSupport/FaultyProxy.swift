import Glibc
import Synchronization

/// What happens to a connection.
package enum NetworkFault: Sendable {
  /// How a connection stops being one.
  package enum Ending: Sendable {
    /// Both sides are told at once, and what was on its way is lost.
    case reset
    /// Both sides see an end.
    case close
    /// Nothing passes any more, and nobody is told.
    case stall
  }

  case none
  /// So many bytes reach the server, then it ends.
  case up(Int, Ending)
  /// So many bytes of answers reach the client, then it ends.
  case down(Int, Ending)
  /// Whatever is asked is answered with these bytes, and never reaches the server; then it ends.
  case answer([UInt8], Ending)
}

/// Stands between a client and a server of this machine, and does to their connections what bad networks do.
///
///     client ──▶ 127.0.0.1:proxy.port ──▶ 127.0.0.1:port
///
/// A fault holds for the connections that are made after it was set, and for each of them anew.
package final class FaultyProxy: Sendable {
  private struct State {
    var fault = NetworkFault.none
    var connectionCount = 0
    /// The descriptors of connections, which only their threads close.
    var open: Set<CInt> = []
    var isClosed = false
    var hasClosedListener = false
  }

  package let port: UInt16
  private let listener: CInt
  private let target: UInt16
  private let state = Mutex(State())

  /// - Parameter target: The server's port.
  package init(to target: UInt16) throws {
    self.target = target
    (listener, port) = try Self.listen()
    ThreadForEachJob.run { [self] in accept() }
  }

  /// What happens to connections from now on.
  package var fault: NetworkFault {
    get { state.withLock(\.fault) }
    set { state.withLock { $0.fault = newValue } }
  }

  /// How many connections clients have made.
  package var connectionCount: Int { state.withLock(\.connectionCount) }

  /// Ends all connections, and takes no more; again, it does nothing.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      for descriptor in state.open { shutdown(descriptor, CInt(SHUT_RDWR)) }
      // Once it is closed, its number may be somebody else's.
      if !state.hasClosedListener { shutdown(listener, CInt(SHUT_RDWR)) }
    }
  }

  /// Whether nobody is listened to any more, and the number of the descriptor is free.
  package var hasClosedListener: Bool { state.withLock(\.hasClosedListener) }

  // MARK: - Connections

  private static func listen() throws -> (listener: CInt, port: UInt16) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var name = address(port: 0)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var length = size
    let isListening = withUnsafeMutablePointer(to: &name) { pointer in
      let address = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return bind(listener, address, size) == 0 && Glibc.listen(listener, 64) == 0
        && getsockname(listener, address, &length) == 0
    }
    guard isListening else { throw RawClient.Failure(call: "listen") }
    return (listener, UInt16(bigEndian: name.sin_port))
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return name
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      let fault = enter(client)
      guard let fault else { continue }
      ThreadForEachJob.run { [self] in serve(client, fault) }
    }
    state.withLock { state in
      Glibc.close(listener)
      state.hasClosedListener = true
    }
  }

  /// Keeps a descriptor until it is left; nil where the proxy is closed.
  private func enter(_ client: CInt) -> NetworkFault? {
    let fault = state.withLock { state -> NetworkFault? in
      guard !state.isClosed else { return nil }
      state.connectionCount += 1
      state.open.insert(client)
      return state.fault
    }
    if fault == nil { Glibc.close(client) }
    return fault
  }

  private func leave(_ descriptor: CInt, _ ending: NetworkFault.Ending) {
    state.withLock { _ = $0.open.remove(descriptor) }
    if case .reset = ending {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
    Glibc.close(descriptor)
  }

  private func serve(_ client: CInt, _ fault: NetworkFault) {
    if case .answer(let bytes, let ending) = fault {
      var buffer = [UInt8](repeating: 0, count: 65536)
      if recv(client, &buffer, buffer.count, 0) > 0 { Self.send(bytes, to: client) }
      if case .stall = ending { Self.waitForEnd(client) }
      return leave(client, ending)
    }
    let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var name = Self.address(port: target)
    let isConnected = withUnsafePointer(to: &name) { pointer in
      connect(
        server, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
    state.withLock { _ = $0.open.insert(server) }
    let ending = isConnected ? relay(client, server, fault) : .reset
    leave(server, ending)
    leave(client, ending)
  }

  /// Carries bytes both ways until something ends.
  private func relay(_ client: CInt, _ server: CInt, _ fault: NetworkFault) -> NetworkFault.Ending {
    var (upLeft, downLeft, ending) = (Int.max, Int.max, NetworkFault.Ending.close)
    if case .up(let count, let how) = fault { (upLeft, ending) = (count, how) }
    if case .down(let count, let how) = fault { (downLeft, ending) = (count, how) }
    var buffer = [UInt8](repeating: 0, count: 65536)
    var watched = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    while upLeft > 0, downLeft > 0 {
      guard poll(&watched, 2, -1) > 0 else { return .close }
      if watched[0].revents != 0 {
        guard Self.move(client, server, &buffer, &upLeft) else { return .close }
      }
      if watched[1].revents != 0 {
        guard Self.move(server, client, &buffer, &downLeft) else { return .close }
      }
    }
    if case .stall = ending { Self.waitForEnd(client) }
    return ending
  }

  private static func move(_ from: CInt, _ to: CInt, _ buffer: inout [UInt8], _ left: inout Int) -> Bool {
    let count = recv(from, &buffer, min(buffer.count, left), 0)
    guard count > 0 else { return false }
    left -= left == .max ? 0 : count
    return send(Array(buffer.prefix(count)), to: to)
  }

  @discardableResult
  private static func send(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits until the client gives up, or the proxy is closed.
  private static func waitForEnd(_ descriptor: CInt) {
    // POLLRDHUP, which is a macro only where extensions are asked for.
    var watched = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    while poll(&watched, 1, -1) < 0, errno == EINTR {}
  }
}
