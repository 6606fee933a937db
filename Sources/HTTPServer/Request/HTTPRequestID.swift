/// The identifier of a request in logs and responses: 32 hexadecimal digits.
package struct HTTPRequestID: Hashable, Sendable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package var description: String { String(decoding: digits, as: UTF8.self) }

  /// The digits, as the response's head has them.
  var digits: [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      for place in 0..<32 {
        let word = place < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word &>> UInt64(60 - 4 * (place & 15))) & 15
        unsafe buffer[place] =
          digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      count = 32
    }
  }
}

/// Generates identifiers from a counter and a random half, which is unique to an event loop and a
/// start of the server.
struct HTTPRequestIDs: Sendable {
  private let high: UInt64
  private var next: UInt64

  init(using random: inout some RandomNumberGenerator) {
    high = random.next()
    next = random.next() >> 16
  }

  mutating func take() -> HTTPRequestID {
    defer { next &+= 1 }
    return HTTPRequestID(high: high, low: next)
  }
}
