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
  ///   - header: Bytes before the sealed message in the result.
  package static func seal(
    _ message: [UInt8], key: SecretBytes, nonce: [UInt8], associated: [UInt8],
    after header: [UInt8] = []
  ) -> [UInt8] {
    precondition(
      key.count == keyByteCount && nonce.count == nonceByteCount,
      "XChaCha20 has keys of 32 and nonces of 24 bytes.")
    Sodium.start()
    let length = header.count + message.count + tagByteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      _ = unsafe buffer.initialize(from: header)
      guard let start = buffer.baseAddress else {
        preconditionFailure("A sealed message has an address.")
      }
      let sealed = unsafe start + header.count
      let status = unsafe key.withAddress { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          sealed, nil, message, UInt64(message.count), associated, UInt64(associated.count), nil,
          nonce, key)
      }
      precondition(status == 0, "libsodium could not seal a message of \(message.count) bytes.")
      count = length
    }
  }

  /// Opens a message, or returns nil if the key, the nonce, the associated bytes or the message
  /// differ from those of the sealing.
  package static func open(
    _ sealed: some Sequence<UInt8>, key: SecretBytes, nonce: [UInt8], associated: [UInt8]
  ) -> [UInt8]? {
    let opened = sealed.withContiguousStorageIfAvailable {
      unsafe open($0, key: key, nonce: nonce, associated: associated)
    }
    return opened ?? open(Array(sealed), key: key, nonce: nonce, associated: associated)
  }

  private static func open(
    _ sealed: UnsafeBufferPointer<UInt8>, key: SecretBytes, nonce: [UInt8], associated: [UInt8]
  ) -> [UInt8]? {
    guard key.count == keyByteCount, nonce.count == nonceByteCount, sealed.count >= tagByteCount,
      let start = sealed.baseAddress
    else { return nil }
    Sodium.start()
    var status: CInt = -1
    // One more byte, so that an empty message has an address too.
    let length = sealed.count - tagByteCount
    let message = unsafe [UInt8](unsafeUninitializedCapacity: length + 1) { buffer, count in
      unsafe status = key.withAddress { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          buffer.baseAddress, nil, nil, start, UInt64(sealed.count), associated,
          UInt64(associated.count), nonce, key)
      }
      count = status == 0 ? length : 0
    }
    return status == 0 ? message : nil
  }
}
