private import COpenSSL

/// SHA-256, cut to 16 bytes, for trees of hashes.
///
/// No other message with the hash of a given one can be found. Two messages with one hash can be
/// found with 2⁶⁴ steps, so hashed messages contain random bytes of their writer.
package struct ShortDigest: Hashable, Sendable {
  package static let byteCount = 16

  /// The purpose of a hash, which differs from hashes for other purposes.
  package struct Purpose: Sendable {
    fileprivate let name: ShortDigest

    /// - Parameter name: 16 ASCII characters.
    package init(_ name: StaticString) {
      let bytes = Array("\(name)".utf8)
      precondition(bytes.count == ShortDigest.byteCount, "A purpose has 16 characters.")
      self.name = ShortDigest(bytes[...])
    }
  }

  /// The first 8 bytes, the lowest first.
  package let high: UInt64
  /// The last 8 bytes, the lowest first.
  package let low: UInt64

  fileprivate init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// Reads a digest from the first bytes.
  ///
  /// - Parameter bytes: At least 16 bytes.
  package init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count >= Self.byteCount, "A digest has 16 bytes.")
    self = unsafe bytes.withUnsafeBytes { bytes in
      ShortDigest(
        high: UInt64(littleEndian: unsafe bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// Computes short digests, always with the same memory.
///
/// To allocate it for each digest would take longer than to hash a small value.
@safe package struct ShortHasher: ~Copyable, @unchecked Sendable {
  // Sendable: it is not copied, so only its owner uses the context.
  private let context: OpaquePointer

  package init() {
    guard let context = unsafe EVP_MD_CTX_new() else {
      preconditionFailure("Out of memory: libcrypto could not make a context for short digests.")
    }
    unsafe self.context = unsafe context
    unsafe requireSuccess(
      EVP_DigestInit_ex2(context, DigestAlgorithm.sha256.implementation, nil))
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  /// Hashes two parts, of which the first one determines its own length.
  package mutating func digest(
    of first: [UInt8], _ second: ArraySlice<UInt8>, for purpose: ShortDigest.Purpose
  ) -> ShortDigest {
    start()
    add((purpose.name.high.littleEndian, purpose.name.low.littleEndian))
    unsafe first.withUnsafeBytes { unsafe add($0) }
    unsafe second.withUnsafeBytes { unsafe add($0) }
    return finish()
  }

  /// Hashes two digests.
  package mutating func digest(
    joining left: ShortDigest, _ right: ShortDigest, for purpose: ShortDigest.Purpose
  ) -> ShortDigest {
    start()
    let name = purpose.name
    add(
      (
        name.high.littleEndian, name.low.littleEndian, left.high.littleEndian,
        left.low.littleEndian, right.high.littleEndian, right.low.littleEndian
      ))
    return finish()
  }

  private mutating func start() {
    // The algorithm stays.
    unsafe requireSuccess(EVP_DigestInit_ex2(context, nil, nil))
  }

  private mutating func add<Words>(_ words: Words) {
    unsafe withUnsafeBytes(of: words) { unsafe add($0) }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    unsafe requireSuccess(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  private mutating func finish() -> ShortDigest {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    unsafe withUnsafeMutableBytes(of: &words) { bytes in
      unsafe requireSuccess(
        EVP_DigestFinal_ex(context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, nil))
    }
    return ShortDigest(high: UInt64(littleEndian: words.0), low: UInt64(littleEndian: words.1))
  }
}
