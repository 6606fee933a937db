private import CSodium

/// HPKE (RFC 9180): messages that anyone can seal to a public key, and only the owner of its
/// private key can open.
///
/// Each message is sealed alone, in base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
/// ChaCha20-Poly1305. Base mode does not authenticate the sender. If the sender matters, the
/// containing message is signed.
///
/// libsodium's sealed boxes do not bind a box to its purpose. Here the key depends on `info`, and
/// the authentication tag on `associated`.
package enum SealedMessage {
  /// The number of bytes that sealing adds.
  package static let overheadByteCount = AgreementPublicKey.byteCount + 16

  /// Seals a message to a public key.
  ///
  /// - Parameters:
  ///   - info: The purpose of the message, which must be equal when it is opened.
  ///   - associated: Further bytes that must be equal.
  ///   - ephemeral: A new key that is used for nothing else.
  /// - Returns: The sealed message, or nil if the recipient's key is weak.
  package static func seal(
    _ message: [UInt8], to recipient: AgreementPublicKey, info: [UInt8], associated: [UInt8] = [],
    ephemeral: AgreementPrivateKey
  ) -> [UInt8]? {
    guard var shared = ephemeral.agree(with: recipient) else { return nil }
    defer { SecretBytes.wipe(&shared) }
    let keys = Schedule(shared, ephemeral.publicKey, recipient, info)
    return ephemeral.publicKey.bytes + keys.seal(message, associated)
  }

  /// Opens a message, or returns nil if it was sealed for another key or purpose, or was changed.
  package static func open(
    _ sealed: [UInt8], with key: AgreementPrivateKey, info: [UInt8], associated: [UInt8] = []
  ) -> [UInt8]? {
    guard sealed.count >= overheadByteCount,
      let ephemeral = AgreementPublicKey(Array(sealed.prefix(AgreementPublicKey.byteCount))),
      var shared = key.agree(with: ephemeral)
    else { return nil }
    defer { SecretBytes.wipe(&shared) }
    let keys = Schedule(shared, ephemeral, key.publicKey, info)
    return keys.open(Array(sealed.dropFirst(AgreementPublicKey.byteCount)), associated)
  }
}

/// The key schedule of RFC 9180, sections 4.1 and 5.1, with its names.
private struct Schedule {
  private let key: SecretBytes
  private let nonce: [UInt8]

  init(
    _ agreed: [UInt8], _ ephemeral: AgreementPublicKey, _ recipient: AgreementPublicKey,
    _ info: [UInt8]
  ) {
    let encapsulation = Labels(suite: Array("KEM".utf8) + [0x00, 0x20])
    let prefix = encapsulation.extract([], "eae_prk", agreed)
    let shared = encapsulation.expand(
      prefix, "shared_secret", ephemeral.bytes + recipient.bytes, 32)
    let suite = Labels(suite: Array("HPKE".utf8) + [0x00, 0x20, 0x00, 0x01, 0x00, 0x03])
    let context = [0] + suite.extract([], "psk_id_hash", []) + suite.extract([], "info_hash", info)
    let secret = suite.extract(shared, "secret", [])
    var key = suite.expand(secret, "key", context, 32)
    self.key = SecretBytes(taking: &key)
    nonce = suite.expand(secret, "base_nonce", context, 12)
  }

  func seal(_ message: [UInt8], _ associated: [UInt8]) -> [UInt8] {
    Sodium.start()
    var sealed = [UInt8](repeating: 0, count: message.count + 16)
    let status = unsafe key.withAddress { key in
      unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
        &sealed, nil, message, UInt64(message.count), associated, UInt64(associated.count), nil,
        nonce, key
      )
    }
    precondition(status == 0, "libsodium could not seal a message of \(message.count) bytes.")
    return sealed
  }

  func open(_ sealed: [UInt8], _ associated: [UInt8]) -> [UInt8]? {
    Sodium.start()
    // One more byte, so that an empty message has an address too.
    var message = [UInt8](repeating: 0, count: sealed.count - 16 + 1)
    let status = unsafe key.withAddress { key in
      unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
        &message, nil, nil, sealed, UInt64(sealed.count), associated, UInt64(associated.count),
        nonce, key)
    }
    guard status == 0 else { return nil }
    message.removeLast()
    return message
  }
}

/// HKDF with labeled inputs.
private struct Labels {
  let suite: [UInt8]

  private static let version = Array("HPKE-v1".utf8)

  func extract(_ salt: [UInt8], _ label: String, _ material: [UInt8]) -> [UInt8] {
    KeyDerivation.extract(salt: salt, Self.version + suite + Array(label.utf8) + material)
  }

  func expand(_ key: [UInt8], _ label: String, _ info: [UInt8], _ byteCount: Int) -> [UInt8] {
    let length = [UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)]
    return KeyDerivation.expand(
      key, length + Self.version + suite + Array(label.utf8) + info, byteCount)
  }
}
