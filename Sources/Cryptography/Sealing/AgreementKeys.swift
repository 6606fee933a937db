private import CSodium

/// A private key of X25519: who has it can open what was sealed to its public half.
package struct AgreementPrivateKey: Sendable {
  package static let byteCount = 32

  package let secret: SecretBytes
  package let publicKey: AgreementPublicKey

  /// The key that 32 secret bytes are.
  package init(_ secret: SecretBytes) {
    precondition(secret.count == Self.byteCount, "A key of X25519 has 32 bytes.")
    Sodium.start()
    self.secret = secret
    var point = [UInt8](repeating: 0, count: AgreementPublicKey.byteCount)
    let status = unsafe secret.withAddress { unsafe crypto_scalarmult_base(&point, $0) }
    precondition(status == 0, "libsodium could not make a public key.")
    publicKey = AgreementPublicKey(unchecked: point)
  }

  /// What both sides of a pair of keys can compute; nil for the few public keys with which
  /// everybody could.
  func agree(with other: AgreementPublicKey) -> [UInt8]? {
    var shared = [UInt8](repeating: 0, count: 32)
    let status = unsafe secret.withAddress { unsafe crypto_scalarmult(&shared, $0, other.bytes) }
    return status == 0 ? shared : nil
  }
}

/// A public key of X25519.
package struct AgreementPublicKey: Hashable, Sendable {
  package static let byteCount = 32

  package let bytes: [UInt8]

  /// A key from its bytes; nil where they are not 32.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}
