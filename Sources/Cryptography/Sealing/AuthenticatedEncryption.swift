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
    let length = message.count + tagByteCount
    return unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      guard let sealed = buffer.baseAddress else {
        preconditionFailure("A sealed message has an address.")
      }
      let status = unsafe key.withAddress { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          sealed, nil, message, UInt64(message.count), associated,
          UInt64(associated.count), nil, nonce, key)
      }
      requireSealed(status, message.count)
      count = length
    }
  }

  private static func requireSealed(_ status: CInt, _ count: Int) {
    precondition(status == 0, "libsodium could not seal a message of \(count) bytes.")
  }

  // MARK: Forms that contain the nonce

  /// Seals a message in place.
  ///
  /// - Parameters:
  ///   - form: The message, with room for the nonce before it and for the tag after it.
  ///   - start: The offset of the nonce in `form`.
  package static func seal(
    _ form: inout [UInt8], from start: Int, key: SecretBytes, nonce: ArraySlice<UInt8>,
    associated: [UInt8]
  ) {
    let count = form.count - start - nonceByteCount - tagByteCount
    precondition(
      key.count == keyByteCount && nonce.count == nonceByteCount && start >= 0 && count >= 0,
      "XChaCha20 has keys of 32 and nonces of 24 bytes, and the tag has 16.")
    Sodium.start()
    let status = unsafe form.withUnsafeMutableBufferPointer { form in
      guard let start = unsafe form.baseAddress.map({ unsafe $0 + start }) else { return CInt(-1) }
      unsafe nonce.withUnsafeBufferPointer { nonce in
        guard let nonce = nonce.baseAddress else { return }
        unsafe start.update(from: nonce, count: nonceByteCount)
      }
      let message = unsafe start + nonceByteCount
      return unsafe key.withAddress { key in
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          message, nil, message, UInt64(count), associated, UInt64(associated.count), nil, start,
          key)
      }
    }
    requireSealed(status, count)
  }

  /// Opens a message that was sealed in place, or returns nil as ``open(_:key:nonce:associated:)``
  /// does.
  ///
  /// - Parameter range: The nonce, the sealed message and its tag.
  package static func open(
    _ form: [UInt8], in range: Range<Int>, key: SecretBytes, associated: [UInt8]
  ) -> [UInt8]? {
    let place = range.lowerBound + nonceByteCount
    guard form.indices.contains(range), range.upperBound >= place + tagByteCount else { return nil }
    return unsafe form.withUnsafeBufferPointer { form in
      guard let address = form.baseAddress else { return nil }
      return unsafe message(
        in: UnsafeBufferPointer(start: address + place, count: range.upperBound - place), key: key,
        nonce: address + range.lowerBound, associated: associated)
    }
  }

  /// Opens a message, or returns nil if the key, the nonce, the associated bytes or the message
  /// differ from those of the sealing.
  package static func open(
    _ sealed: some Sequence<UInt8>, key: SecretBytes, nonce: [UInt8], associated: [UInt8]
  ) -> [UInt8]? {
    guard nonce.count == nonceByteCount else { return nil }
    let opened = sealed.withContiguousStorageIfAvailable {
      unsafe message(in: $0, key: key, nonce: nonce, associated: associated)
    }
    return opened ?? open(Array(sealed), key: key, nonce: nonce, associated: associated)
  }

  private static func message(
    in sealed: UnsafeBufferPointer<UInt8>, key: SecretBytes, nonce: UnsafePointer<UInt8>,
    associated: [UInt8]
  ) -> [UInt8]? {
    guard key.count == keyByteCount, sealed.count >= tagByteCount, let start = sealed.baseAddress
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
