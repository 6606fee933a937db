private import COpenSSL

/// SHA-256, cut to 16 bytes, for trees of hashes.
///
/// A second preimage cannot be found. A collision can be found with 2⁶⁴ steps, so each hashed
/// message must contain random bytes of its writer.
package struct ShortDigest: Hashable, Sendable {
  package static let byteCount = 16

  /// The purpose of a hash, which separates it from the hashes for other purposes.
  package struct Purpose: Sendable {
    fileprivate let name: ShortDigest

    /// Creates a purpose from its name of 16 ASCII characters.
    package init(_ name: StaticString) {
      let bytes = Array("\(name)".utf8)
      precondition(bytes.count == ShortDigest.byteCount, "A purpose has 16 characters.")
      self.name = ShortDigest(bytes[...])
    }
  }

  /// The first 8 bytes, read as a little-endian number.
  package let high: UInt64
  /// The last 8 bytes, read as a little-endian number.
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

/// Computes short digests with one context of libcrypto.
///
/// Allocating a context for each digest would take longer than hashing a small value.
@safe package struct ShortHasher: ~Copyable, @unchecked Sendable {
  // Sendable: the hasher cannot be copied, so only its owner uses the context.
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

  /// Hashes two parts.
  ///
  /// The bytes of the first part must determine its length. Otherwise, parts that are split at
  /// another place would have the same hash.
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
    // Without an algorithm, the context keeps its current one.
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
