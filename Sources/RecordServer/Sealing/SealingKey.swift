package import Cryptography

/// A key that the server seals values with that clients marked as encrypted.
///
/// What seals and what tells keys apart are derived from it, so that the one says nothing of the
/// other.
package struct SealingKey: Sendable {
  package static let byteCount = 32
  static let identifierByteCount = 8

  /// Tells keys apart, and stands with each value that the key sealed.
  package let identifier: [UInt8]
  let secret: SecretBytes

  /// The key that 32 random bytes are.
  package init(_ bytes: SecretBytes) {
    precondition(
      bytes.count == Self.byteCount,
      "A sealing key has \(Self.byteCount) bytes, not \(bytes.count).")
    secret = KeyDerivation.derive(from: bytes, purpose: Array("parhelion sealed values".utf8))
    identifier =
      KeyDerivation.derive(
        Self.identifierByteCount, from: bytes, purpose: Array("parhelion sealing key".utf8)
      ).bytes
  }

  /// The identifier for people.
  package var name: String { Hexadecimal.text(identifier) }
}
