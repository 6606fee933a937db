import Foundation

/// A blocking connection to a server on this machine.
package class BenchSocket {
  /// A failure of the connection.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    /// The error number of the system; 0 if the server closed the connection.
    var number = errno

    var description: String {
      guard number != 0 else { return "The measured server closed the connection." }
      let reason = unsafe String(cString: strerror(number))
      return "The connection to the measured server failed in \(call): \(reason)."
    }
  }

  package let descriptor: CInt

  /// The timeout of a call.
  private static let patienceSeconds = 120

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket") }
    configure()
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafeBytes(of: &name) { bytes in
      unsafe connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count))
    }
    guard result == 0 else { throw Failure(call: "connect") }
  }

  /// Wraps one end of an open connection.
  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// Both ends of a connection within this process.
  package static func pair() throws -> (BenchSocket, BenchSocket) {
    var ends: [CInt] = [0, 0]
    let result = unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends)
    guard result == 0 else { throw Failure(call: "socketpair") }
    return (BenchSocket(descriptor: ends[0]), BenchSocket(descriptor: ends[1]))
  }

  deinit { close(descriptor) }

  private func configure() {
    var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    var isOn: CInt = 1
    _ = unsafe setsockopt(
      descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Whether the server has closed the connection.
  final var isClosed: Bool {
    // POLLRDHUP, which is a macro that needs GNU extensions.
    var state = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    return unsafe poll(&state, 1, 0) > 0
  }

  /// Sends all bytes.
  package final func send(_ bytes: [UInt8]) throws {
    try unsafe bytes.withUnsafeBytes { bytes in
      var rest = unsafe bytes[...]
      while unsafe !rest.isEmpty {
        let count = unsafe transferOut(UnsafeRawBufferPointer(rebasing: rest))
        guard count > 0 else { throw Failure(call: "send") }
        unsafe rest = rest.dropFirst(count)
      }
    }
  }

  /// Receives at least one byte into a buffer, from an index on, and returns the number of bytes.
  final func receive(into buffer: inout [UInt8], from place: Int) throws -> Int {
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe transferIn(UnsafeMutableRawBufferPointer(rebasing: bytes[place...]))
    }
    guard count != 0 else { throw Failure(call: "recv", number: 0) }
    guard count > 0 else { throw Failure(call: "recv") }
    return count
  }

  /// Sends some of the bytes and returns their number.
  func transferOut(_ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Receives some bytes and returns their number.
  func transferIn(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
  }
}
