private import CSodium

/// A private key of Ed25519: it signs what a user hands to others.
package struct EdwardsPrivateKey: Sendable {
  package static let byteCount = 32

  package let publicKey: EdwardsPublicKey
  /// libsodium's form: the seed, then the public key.
  private let expanded: SecretBytes

  /// The key that 32 secret bytes stand for.
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

  /// The signature of a message, 64 bytes.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: EdwardsPublicKey.signatureByteCount)
    let status = unsafe expanded.withAddress {
      unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0)
    }
    precondition(status == 0, "libsodium could not sign.")
    return signature
  }
}

/// A public key of Ed25519.
package struct EdwardsPublicKey: Hashable, Sendable {
  package static let byteCount = 32
  package static let signatureByteCount = 64

  package let bytes: [UInt8]

  /// A key from its bytes; nil where they are not 32.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Whether a signature was made of exactly this message with the private half.
  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == Self.signatureByteCount else { return false }
    Sodium.start()
    return unsafe crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}
