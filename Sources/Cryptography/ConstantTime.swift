private import COpenSSL

/// Comparisons that take as long for what differs early as for what differs late.
package enum ConstantTime {
  /// Whether two secrets are the same; only their lengths show in the time.
  package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe CRYPTO_memcmp(one, other, one.count) == 0
  }
}
