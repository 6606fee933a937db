private import COpenSSL

/// Comparisons whose time does not depend on where values differ.
package enum ConstantTime {
  /// Returns whether two secrets are equal.
  ///
  /// The time depends on their lengths alone.
  package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe CRYPTO_memcmp(one, other, one.count) == 0
  }
}
