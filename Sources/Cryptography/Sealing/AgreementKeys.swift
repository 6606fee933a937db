private import CSodium

/// A private X25519 key, which opens messages that were sealed to its public key.
package struct AgreementPrivateKey: Sendable {
  package static let byteCount = 32

  package let secret: SecretBytes
  package let publicKey: AgreementPublicKey

  /// Creates a key from 32 secret bytes.
  package init(_ secret: SecretBytes) {
    precondition(secret.count == Self.byteCount, "A key of X25519 has 32 bytes.")
    Sodium.start()
    self.secret = secret
    var point = [UInt8](repeating: 0, count: AgreementPublicKey.byteCount)
    let status = unsafe secret.withAddress { unsafe crypto_scalarmult_base(&point, $0) }
    precondition(status == 0, "libsodium could not make a public key.")
    publicKey = AgreementPublicKey(unchecked: point)
  }

  /// Returns the secret that both key holders can compute, or nil if the public key is weak.
  func agree(with other: AgreementPublicKey) -> [UInt8]? {
    var shared = [UInt8](repeating: 0, count: 32)
    let status = unsafe secret.withAddress { unsafe crypto_scalarmult(&shared, $0, other.bytes) }
    return status == 0 ? shared : nil
  }
}

/// A public X25519 key.
package struct AgreementPublicKey: Hashable, Sendable {
  package static let byteCount = 32

  package let bytes: [UInt8]

  /// Creates a key from its bytes, or returns nil if their number is not 32.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Whether this is one of the few keys with which anyone can compute the agreed secret.
  package var isWeak: Bool {
    // Such a key gives the same result for all private keys.
    AgreementPrivateKey(SecretBytes([UInt8](repeating: 1, count: AgreementPrivateKey.byteCount)))
      .agree(with: self) == nil
  }
}
