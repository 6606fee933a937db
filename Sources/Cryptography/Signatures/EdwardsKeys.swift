private import CSodium

/// A private Ed25519 key, which signs a user's messages to others.
package struct EdwardsPrivateKey: Sendable {
  package static let byteCount = 32

  package let publicKey: EdwardsPublicKey
  /// libsodium's representation: the seed, then the public key.
  private let expanded: SecretBytes

  /// Creates a key from 32 secret bytes.
  package init(_ seed: SecretBytes) {
    precondition(seed.count == Self.byteCount, "A key of Ed25519 has 32 bytes.")
    Sodium.start()
    var point = [UInt8](repeating: 0, count: EdwardsPublicKey.byteCount)
    var secret = [UInt8](repeating: 0, count: 64)
    let status = unsafe seed.withAddress { unsafe crypto_sign_seed_keypair(&point, &secret, $0) }
    precondition(status == 0, "libsodium could not make a key to sign with.")
    publicKey = EdwardsPublicKey(unchecked: point)
    expanded = SecretBytes(taking: &secret)
  }

  /// Returns the 64-byte signature of a message.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: EdwardsPublicKey.signatureByteCount)
    let status = unsafe expanded.withAddress {
      unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0)
    }
    precondition(status == 0, "libsodium could not sign.")
    return signature
  }
}

/// A public Ed25519 key.
package struct EdwardsPublicKey: Hashable, Sendable {
  package static let byteCount = 32
  package static let signatureByteCount = 64

  package let bytes: [UInt8]
  /// The first 8 bytes, read as a little-endian number, by which a key can be found.
  package let beginning: UInt64

  /// Creates a key from its bytes, or returns nil if their number is not 32.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(unchecked: bytes)
  }

  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
    beginning = bytes[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  package static func == (one: EdwardsPublicKey, other: EdwardsPublicKey) -> Bool {
    one.bytes == other.bytes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(beginning) }

  /// Returns whether the private key made a signature of exactly this message.
  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    Sodium.start()
    return unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}
