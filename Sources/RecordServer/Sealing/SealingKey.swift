package import Cryptography

/// A key with which the server seals values that clients marked as encrypted.
///
/// Its secret and its identifier are both derived from the same random bytes, so that neither
/// reveals the other.
package struct SealingKey: Sendable {
  package static let byteCount = 32
  static let identifierByteCount = 8

  /// Identifies the key.
  ///
  /// Each sealed value contains it.
  package let identifier: [UInt8]
  let secret: SecretBytes

  /// Creates a key from 32 random bytes.
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

  /// The identifier as text.
  package var name: String { Hexadecimal.text(identifier) }
}
