import Glibc
import Synchronization

/// A proxy between a client and a local server, which injects the faults of bad networks.
///
///     client ──▶ 127.0.0.1:proxy.port ──▶ 127.0.0.1:port
///
/// A fault applies to each connection that is made after it was set. The faults of the plan come
/// first, one for each connection.
package final class FaultyProxy: Sendable {
  private struct State {
    var fault = NetworkFault.none
    var plan: [NetworkFault] = []
    var connectionCount = 0
    /// The end of the next connection that carries a part of a response.
    var answerEnding: NetworkFault.Ending?
    /// Requests that have not reached the server yet.
    var late: [[UInt8]] = []
    /// The descriptors of connections, which only their own threads close.
    var open: Set<CInt> = []
    var isClosed = false
    var hasClosedListener = false
  }

  package let port: UInt16
  private let listener: CInt
  private let target: UInt16
  private let state = Mutex(State())

  /// Starts a proxy in front of a server.
  ///
  /// - Parameter target: The server's port.
  package init(to target: UInt16) throws {
    self.target = target
    (listener, port) = try Self.listen()
    ThreadForEachJob.run { [self] in accept() }
  }

  /// The fault of new connections.
  package var fault: NetworkFault {
    get { state.withLock(\.fault) }
    set { state.withLock { $0.fault = newValue } }
  }

  /// The faults of the next connections, in order, before `fault` applies again.
  package var plan: [NetworkFault] {
    get { state.withLock(\.plan) }
    set { state.withLock { $0.plan = newValue } }
  }

  /// Ends the next connection that would carry a response, without the response.
  package func endNextAnswer(by ending: NetworkFault.Ending) {
    state.withLock { $0.answerEnding = ending }
  }

  /// The number of connections that clients have made.
  package var connectionCount: Int { state.withLock(\.connectionCount) }

  /// Ends all connections and stops listening; further calls do nothing.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      for descriptor in state.open { shutdown(descriptor, CInt(SHUT_RDWR)) }
      // The number of a closed descriptor may be reused.
      if !state.hasClosedListener { shutdown(listener, CInt(SHUT_RDWR)) }
    }
  }

  /// Ends the present connections, and accepts new ones.
  package func endConnections() {
    state.withLock { for descriptor in $0.open { shutdown(descriptor, CInt(SHUT_RDWR)) } }
  }

  /// Whether the listener is closed, so that its descriptor is free.
  package var hasClosedListener: Bool { state.withLock(\.hasClosedListener) }

  // MARK: - Connections

  private static func listen() throws -> (listener: CInt, port: UInt16) {
    let listener = makeSocket()
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

  /// A socket that child processes do not inherit: a copy would keep the connection open.
  private static func makeSocket() -> CInt {
    socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
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
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let fault = enter(client)
      guard let fault else { continue }
      ThreadForEachJob.run { [self] in serve(client, fault) }
    }
    state.withLock { state in
      Glibc.close(listener)
      state.hasClosedListener = true
    }
  }

  /// Registers a descriptor and returns its fault; nil if the proxy is closed.
  private func enter(_ client: CInt) -> NetworkFault? {
    let fault = state.withLock { state -> NetworkFault? in
      guard !state.isClosed else { return nil }
      state.connectionCount += 1
      state.open.insert(client)
      return state.plan.isEmpty ? state.fault : state.plan.removeFirst()
    }
    if fault == nil { Glibc.close(client) }
    return fault
  }

  private func leave(_ descriptor: CInt, _ ending: NetworkFault.Ending) {
    state.withLock { _ = $0.open.remove(descriptor) }
    if case .reset = ending {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
    Glibc.close(descriptor)
  }

  private func serve(_ client: CInt, _ fault: NetworkFault) {
    switch fault {
    case .answer(let bytes, let ending):
      var buffer = [UInt8](repeating: 0, count: 65536)
      if recv(client, &buffer, buffer.count, 0) > 0 { Self.send(bytes, to: client) }
      if case .stall = ending { Self.waitForEnd(client) }
      leave(client, ending)
    case .late:
      var request = RequestBytes()
      while !request.isWhole, request.receive(from: client) {}
      if request.isWhole { state.withLock { $0.late.append(request.bytes) } }
      leave(client, .reset)
    default:
      let server = connect()
      let ending = server.map { carry(client, $0, fault) } ?? .reset
      leave(client, ending)
      if let server {
        if case .unnoticed = ending { Self.waitForEnd(server) }
        leave(server, ending)
      }
    }
  }

  private func carry(_ client: CInt, _ server: CInt, _ fault: NetworkFault) -> NetworkFault.Ending {
    if case .duplicate(let answer) = fault {
      duplicate(client, server, answer)
      return .close
    }
    return relay(client, server, fault)
  }

  /// A connection to the server; nil if the server accepts none.
  private func connect() -> CInt? {
    let server = Self.makeSocket()
    var name = Self.address(port: target)
    let isConnected = withUnsafePointer(to: &name) { pointer in
      Glibc.connect(
        server, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
    guard isConnected else {
      Glibc.close(server)
      return nil
    }
    state.withLock { _ = $0.open.insert(server) }
    return server
  }

  /// Relays bytes in both directions until one side ends.
  private func relay(_ client: CInt, _ server: CInt, _ fault: NetworkFault) -> NetworkFault.Ending {
    var (upLeft, downLeft, ending) = (Int.max, Int.max, NetworkFault.Ending.close)
    var (upDelay, downDelay): (CInt, CInt) = (0, 0)
    if case .up(let count, let how) = fault { (upLeft, ending) = (count, how) }
    if case .down(let count, let how) = fault { (downLeft, ending) = (count, how) }
    if case .delay(let up, let down) = fault { (upDelay, downDelay) = (up, down) }
    var buffer = [UInt8](repeating: 0, count: 65536)
    var watched = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0),
      pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    while upLeft > 0, downLeft > 0 {
      guard poll(&watched, 2, -1) > 0 else { return .close }
      if watched[0].revents != 0 {
        Self.letTimePass(upDelay)
        guard Self.move(client, server, &buffer, &upLeft) else { return .close }
      }
      if watched[1].revents != 0 {
        if let ending = state.withLock({ $0.answerEnding.take() }) { return ending }
        deliverLateRequests()
        Self.letTimePass(downDelay)
        guard Self.move(server, client, &buffer, &downLeft) else { return .close }
      }
    }
    if case .stall = ending { Self.waitForEnd(client) }
    return ending
  }

  private static func letTimePass(_ milliseconds: CInt) {
    if milliseconds > 0 { poll(nil, 0, milliseconds) }
  }

  private static func move(_ from: CInt, _ to: CInt, _ buffer: inout [UInt8], _ left: inout Int)
    -> Bool
  {
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

  /// Waits until the client disconnects, or the proxy is closed.
  private static func waitForEnd(_ descriptor: CInt) {
    // POLLRDHUP, which is a macro that needs GNU extensions.
    var watched = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    while poll(&watched, 1, -1) < 0, errno == EINTR {}
  }
}

// MARK: - Duplicated and late requests

extension FaultyProxy {
  /// Delivers the requests of connections that were reset, and waits for the server's responses.
  private func deliverLateRequests() {
    let late = state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
    for request in late { ask(request) }
  }

  /// Sends a request over a separate connection, and waits until the response begins.
  private func ask(_ request: [UInt8]) {
    guard let server = connect() else { return }
    if Self.send(request, to: server) { _ = Self.waitForBytes([server]) }
    leave(server, .close)
  }

  /// Sends each request to the server twice, and returns one of the responses.
  private func duplicate(_ client: CInt, _ server: CInt, _ answer: NetworkFault.Answer) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var (request, left) = (RequestBytes(), Int.max)
    while true {
      let ready = Self.waitForBytes([client, server])
      if ready.contains(server), !Self.move(server, client, &buffer, &left) { return }
      guard ready.contains(client) else { continue }
      guard request.receive(from: client) else { return }
      guard request.isWhole else { continue }
      if answer == .second { ask(request.bytes) }
      guard Self.send(request.bytes, to: server) else { return }
      if answer == .first {
        _ = Self.waitForBytes([server])
        ask(request.bytes)
      }
      request = RequestBytes()
    }
  }

  /// The connections that are readable or have ended.
  private static func waitForBytes(_ descriptors: [CInt]) -> [CInt] {
    var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&watched, nfds_t(watched.count), -1) < 0, errno == EINTR {}
    return watched.filter { $0.revents != 0 }.map(\.fd)
  }
}

/// The received bytes of a request.
private struct RequestBytes {
  private(set) var bytes: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65536)
  /// The end of the body, by the head's content length.
  private var end: Int?

  /// Whether the head and the whole body have arrived.
  var isWhole: Bool { end.map { bytes.count >= $0 } ?? false }

  /// Receives bytes; false at the end of the connection.
  mutating func receive(from client: CInt) -> Bool {
    let count = recv(client, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    bytes += buffer[..<count]
    if end == nil { end = Self.end(of: bytes) }
    return true
  }

  private static func end(of bytes: [UInt8]) -> Int? {
    let blankLine = Array("\r\n\r\n".utf8)
    guard let head = bytes.indices.first(where: { bytes[$0...].starts(with: blankLine) }) else {
      return nil
    }
    let lines = String(decoding: bytes[..<head], as: UTF8.self).lowercased().split(
      separator: "\r\n")
    let length = lines.first { $0.hasPrefix("content-length:") }?.split(separator: ":").last
    return head + blankLine.count + (length.flatMap { Int($0.filter { $0 != " " }) } ?? 0)
  }
}
