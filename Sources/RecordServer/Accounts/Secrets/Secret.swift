import Cryptography

/// Thirty-two random bytes that prove something to the server: a web token, an API token, the
/// administrator's key.
///
/// A client holds them as 64 hexadecimal digits, which need no escaping anywhere. The server keeps
/// their hash alone: as nobody can guess 256 bits, a plain and fast hash protects them where the
/// storage is stolen.
struct Secret: Hashable, Sendable {
  static let byteCount = 32

  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    precondition(
      bytes.count == Self.byteCount, "A secret has \(Self.byteCount) bytes, not \(bytes.count).")
    self.bytes = bytes
  }

  /// Reads what a client sent; nil for everything that the server cannot have given to anybody.
  init?(text: String) {
    guard let bytes = Hexadecimal.bytes(text, count: Self.byteCount) else { return nil }
    self.bytes = bytes
  }

  var text: String { Hexadecimal.text(bytes) }

  var hash: SecretHash { SecretHash(bytes: DigestAlgorithm.sha256.hash(bytes)) }
}

/// What the server keeps of a secret.
struct SecretHash: Hashable, Sendable {
  let bytes: [UInt8]

  /// The first half of it, for people: it tells secrets apart and proves nothing.
  var identifier: String { Hexadecimal.text(Array(bytes.prefix(8))) }
}
