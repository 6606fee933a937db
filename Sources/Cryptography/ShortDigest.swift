private import CSodium

/// BLAKE2b of 16 bytes, for trees of hashes.
///
/// No other message with the hash of a given one can be found. Two messages with one hash can be
/// found with 2⁶⁴ steps, so hashed messages contain random bytes of their writer.
package struct ShortDigest: Hashable, Sendable {
  package static let byteCount = 16

  /// The purpose of a hash, which differs from hashes for other purposes.
  package struct Purpose: Sendable {
    fileprivate let bytes: [UInt8]

    /// - Parameter name: 16 ASCII characters.
    package init(_ name: StaticString) {
      bytes = Array("\(name)".utf8)
      precondition(bytes.count == ShortDigest.byteCount, "A purpose has 16 characters.")
    }
  }

  /// The first 8 bytes, the lowest first.
  package let high: UInt64
  /// The last 8 bytes, the lowest first.
  package let low: UInt64

  /// Hashes two parts, of which the first one determines its own length.
  package init(of first: [UInt8], _ second: ArraySlice<UInt8>, for purpose: Purpose) {
    self = unsafe Self.computed(purpose) { state in
      let status = unsafe crypto_generichash_blake2b_update(state, first, UInt64(first.count))
      return unsafe second.withUnsafeBufferPointer { second in
        unsafe status
          | crypto_generichash_blake2b_update(state, second.baseAddress, UInt64(second.count))
      }
    }
  }

  /// Hashes two hashes.
  package init(joining left: ShortDigest, _ right: ShortDigest, for purpose: Purpose) {
    let words = (
      left.high.littleEndian, left.low.littleEndian, right.high.littleEndian,
      right.low.littleEndian
    )
    self = unsafe Self.computed(purpose) { state in
      unsafe withUnsafeBytes(of: words) { bytes in
        let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
        return unsafe crypto_generichash_blake2b_update(state, start, UInt64(bytes.count))
      }
    }
  }

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  private static let stateBytes = crypto_generichash_blake2b_statebytes()
  /// libsodium requires this alignment of a state.
  private static let stateAlignment = 64

  private static func computed(_ purpose: Purpose, _ add: (OpaquePointer) -> CInt) -> ShortDigest {
    Sodium.start()
    return unsafe withUnsafeTemporaryAllocation(
      byteCount: stateBytes, alignment: stateAlignment
    ) { memory in
      guard let start = memory.baseAddress else {
        preconditionFailure("A state of a hash has an address.")
      }
      let state = OpaquePointer(start)
      var status = unsafe crypto_generichash_blake2b_init_salt_personal(
        state, nil, 0, byteCount, nil, purpose.bytes)
      unsafe status |= add(state)
      var words: (UInt64, UInt64) = (0, 0)
      unsafe withUnsafeMutableBytes(of: &words) { bytes in
        guard let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        unsafe status |= crypto_generichash_blake2b_final(state, start, byteCount)
      }
      precondition(status == 0, "libsodium could not compute a hash.")
      return ShortDigest(high: UInt64(littleEndian: words.0), low: UInt64(littleEndian: words.1))
    }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
