import Cryptography

/// A credential of thirty-two random bytes: a web token, an API token, or the administrators' key.
///
/// Clients hold it as 64 hexadecimal digits, which need no escaping. The server stores only a hash.
/// A fast hash is enough, because 256 random bits cannot be guessed.
struct Secret: Hashable, Sendable {
  static let byteCount = 32

  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    precondition(
      bytes.count == Self.byteCount, "A secret has \(Self.byteCount) bytes, not \(bytes.count).")
    self.bytes = bytes
  }

  /// Parses a credential from a client; nil if the server cannot have issued it.
  init?(text: String) {
    guard let bytes = Hexadecimal.bytes(text, count: Self.byteCount) else { return nil }
    self.bytes = bytes
  }

  var text: String { Hexadecimal.text(bytes) }

  var hash: SecretHash { SecretHash(bytes: DigestAlgorithm.sha256.hash(bytes)) }
}

/// The stored hash of a secret.
struct SecretHash: Hashable, Sendable {
  let bytes: [UInt8]

  /// The first quarter of the hash, which identifies a secret to people but authenticates nothing.
  var identifier: String { Hexadecimal.text(Array(bytes.prefix(8))) }
}
