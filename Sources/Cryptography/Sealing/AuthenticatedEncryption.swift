private import CSodium

/// XChaCha20-Poly1305: only holders of the key can read or change a sealed message.
///
/// Nonces have 24 bytes, so random nonces of many devices with one key do not collide.
package enum AuthenticatedEncryption {
  package static let keyByteCount = 32
  package static let nonceByteCount = 24
  /// The number of bytes that sealing adds.
  package static let tagByteCount = 16

  /// Seals a message.
  ///
  /// - Parameters:
  ///   - nonce: Bytes that were never used with the key.
  ///   - associated: Bytes that must be equal when the message is opened. The result does not
  ///     contain them.
  package static func seal(
    _ message: [UInt8], key: SecretBytes, nonce: [UInt8], associated: [UInt8]
  ) -> [UInt8] {
    precondition(
      key.count == keyByteCount && nonce.count == nonceByteCount,
      "XChaCha20 has keys of 32 and nonces of 24 bytes.")
    Sodium.start()
    var sealed = [UInt8](repeating: 0, count: message.count + tagByteCount)
    let status = unsafe key.withAddress { key in
      unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
        &sealed, nil, message, UInt64(message.count), associated, UInt64(associated.count), nil,
        nonce, key)
    }
    precondition(status == 0, "libsodium could not seal a message of \(message.count) bytes.")
    return sealed
  }

  /// Opens a message, or returns nil if the key, the nonce, the associated bytes or the message
  /// differ from those of the sealing.
  package static func open(_ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], associated: [UInt8])
    -> [UInt8]?
  {
    guard key.count == keyByteCount, nonce.count == nonceByteCount, sealed.count >= tagByteCount
    else { return nil }
    Sodium.start()
    // One more byte, so that an empty message has an address too.
    var message = [UInt8](repeating: 0, count: sealed.count - tagByteCount + 1)
    let status = unsafe key.withAddress { key in
      unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
        &message, nil, nil, sealed, UInt64(sealed.count), associated, UInt64(associated.count),
        nonce, key)
    }
    guard status == 0 else { return nil }
    message.removeLast()
    return message
  }
}
