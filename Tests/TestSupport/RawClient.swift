import Glibc

/// An HTTP client that sends exactly the given bytes.
open class RawClient {
  package struct Failure: Error {
    package let call: String
    package let number = errno

    package init(call: String) { self.call = call }
  }

  /// The connection is open, but no data arrived for a minute.
  package struct Timeout: Error {}

  /// A response as it was received.
  package struct Response: Equatable, Sendable {
    package var status = 0
    package var fields: [String: String] = [:]
    package var body: [UInt8] = []
    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  package let descriptor: CInt
  private var received: [UInt8] = []

  /// Connects to a port of this machine.
  ///
  /// - Parameter receiveBuffer: The size of the system's receive buffer, for a test of a slow
  ///   client.
  package init(port: UInt16, receiveBuffer: CInt? = nil) throws {
    // A child process of another test must not inherit the connection: it would stay open.
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket") }
    if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &name) { pointer in
      connect(
        descriptor, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    // The deinitializer runs here too, and closes the descriptor.
    guard result == 0 else { throw Failure(call: "connect") }
  }

  deinit { Glibc.close(descriptor) }

  /// Sends some of the bytes and returns their number.
  open func transferOut(_ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Receives some bytes and returns their number; 0 at the end, -1 with `errno` after a failure.
  open func transferIn(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    recv(descriptor, bytes.baseAddress, bytes.count, 0)
  }

  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { transferOut($0) }
      guard count > 0 else { throw Failure(call: "send") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends bytes until the system and the server accept no more, or up to a limit.
  ///
  /// - Returns: The number of sent bytes.
  package func sendUntilBlocked(_ bytes: [UInt8], atMost limit: Int) -> Int {
    var patience = timeval(tv_sec: 0, tv_usec: 300_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    defer {
      var usual = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &usual, socklen_t(MemoryLayout<timeval>.size))
    }
    var total = 0
    while total < limit {
      let count = Glibc.send(descriptor, bytes, min(bytes.count, limit - total), CInt(MSG_NOSIGNAL))
      guard count > 0 else { break }
      total += count
    }
    return total
  }

  /// Ends the sending direction.
  open func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// The next response.
  package func response(hasBody: Bool = true) throws -> Response {
    var response = try head()
    guard hasBody else { return response }
    if let length = response.fields["content-length"].flatMap(Int.init) {
      response.body = try take(length)
    } else if response.fields["transfer-encoding"] == "chunked" {
      while let chunk = try chunk() { response.body += chunk }
    } else if ![100, 204, 304].contains(response.status) {
      response.body = try rest()
    }
    return response
  }

  /// The head of the next response; its body is not read.
  package func head() throws -> Response {
    var response = Response()
    response.status = Int(try line().split(separator: " ")[1]) ?? 0
    while case let line = try line(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      response.fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    return response
  }

  /// The next chunk; nil at the end.
  package func chunk() throws -> [UInt8]? {
    let size = Int(try line(), radix: 16) ?? 0
    let bytes = try take(size)
    _ = try line()
    return size == 0 ? nil : bytes
  }

  /// The next bytes, as many as requested.
  package func take(_ count: Int) throws -> [UInt8] {
    while received.count < count { try receiveMore() }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// All bytes until the end of the connection.
  package func rest() throws -> [UInt8] {
    while try receive() {}
    defer { received = [] }
    return received
  }

  /// Waits for more data; returns whether the connection has ended, regularly or not.
  package func isAtEnd() -> Bool {
    do { return try rest().isEmpty } catch { return error is Failure }
  }

  /// Makes the next close a reset.
  package func reset() {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
  }

  private func line() throws -> String {
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<(end - 1)], as: UTF8.self)
      }
      try receiveMore()
    }
  }

  private func receiveMore() throws {
    guard try receive() else { throw Failure(call: "recv: the connection ended") }
  }

  private func receive() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = buffer.withUnsafeMutableBytes { transferIn($0) }
    guard count >= 0 else {
      let failure = Failure(call: "recv")
      if failure.number == EAGAIN { throw Timeout() }
      throw failure
    }
    received += buffer[..<count]
    return count > 0
  }
}
