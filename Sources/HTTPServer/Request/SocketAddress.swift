internal import Glibc

/// The address of one end of a connection: IPv4 or IPv6, and a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The sixteen bytes of an IPv6 address.
  ///
  /// IPv4 addresses are mapped into `::ffff:0:0/96`.
  let high: UInt64
  let low: UInt64
  /// The port.
  package let port: UInt16

  init(high: UInt64, low: UInt64, port: UInt16) {
    self.high = high
    self.low = low
    self.port = port
  }

  /// Creates an address from a numeric text such as `127.0.0.1` or `::1`.
  ///
  /// Returns nil for other texts.
  package init?(_ text: String, port: UInt16) {
    var four = in_addr()
    var six = in6_addr()
    if unsafe inet_pton(AF_INET, text, &four) == 1 {
      self.init(
        high: 0, low: Self.mappedPrefix | UInt64(UInt32(bigEndian: four.s_addr)), port: port)
    } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
      let words = unsafe withUnsafeBytes(of: six) { bytes in
        unsafe (
          bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
          bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
      }
      self.init(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1), port: port)
    } else {
      return nil
    }
  }

  private static let mappedPrefix: UInt64 = 0xFFFF << 32

  /// Whether the address is an IPv4 address.
  package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// Whether the address is reachable only from this machine: `127.0.0.0/8` or `::1`.
  package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

  /// The address without its port, in its usual notation.
  package var host: String {
    if isIPv4 { return [24, 16, 8, 0].map { "\(low >> $0 & 255)" }.joined(separator: ".") }
    var words = (high.bigEndian, low.bigEndian)
    var text = [CChar](repeating: 0, count: 64)
    _ = unsafe inet_ntop(AF_INET6, &words, &text, 64)
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package var description: String { isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }

  /// The address or network that counts as one client: an IPv4 address, or the 64-bit IPv6 network
  /// of one household.
  package var network: SocketAddress { SocketAddress(high: high, low: isIPv4 ? low : 0, port: 0) }
}

extension SocketAddress {
  /// Calls a closure with the address in the system's form.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if isIPv4 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
      return unsafe withUnsafePointer(to: address) { pointer in
        unsafe body(
          UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
          socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
      unsafe bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
      unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe body(
        UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in6>.size))
    }
  }

  /// Creates an address from the system's form.
  init(system storage: sockaddr_storage) {
    self = unsafe withUnsafeBytes(of: storage) { bytes in
      let port = unsafe UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      guard storage.ss_family == sa_family_t(AF_INET6) else {
        let four = unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return SocketAddress(high: 0, low: Self.mappedPrefix | UInt64(four), port: port)
      }
      return unsafe SocketAddress(
        high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)), port: port
      )
    }
  }
}
