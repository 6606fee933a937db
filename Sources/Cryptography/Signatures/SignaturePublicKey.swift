private import COpenSSL

/// A public P-256 key, which verifies ECDSA signatures over SHA-256.
@safe package final class SignaturePublicKey: Sendable {
  /// The reason why a text or bytes are not a usable key.
  package enum DecodingError: Error, Hashable, Sendable {
    /// The input is not a `SubjectPublicKeyInfo`.
    case unreadable
    /// The input is a private key, which must not leave its owner.
    case isPrivate
    /// The key belongs to another algorithm or curve.
    case otherCurve
  }

  // An EVP_PKEY never changes after it is read, and libcrypto counts references atomically.
  private nonisolated(unsafe) let key: OpaquePointer

  /// The key's canonical DER encoding.
  package let encoded: [UInt8]

  /// Reads a key as `openssl ec -pubout` writes it.
  package convenience init(pem: String) throws(DecodingError) {
    if pem.contains("PRIVATE KEY") { throw .isPrivate }
    let text = Array(pem.utf8)
    guard let input = unsafe BIO_new_mem_buf(text, CInt(clamping: text.count)) else {
      throw .unreadable
    }
    defer { unsafe BIO_free(input) }
    let key = unsafe withExtendedLifetime(text) { unsafe PEM_read_bio_PUBKEY(input, nil, nil, nil) }
    try unsafe self.init(owning: key)
  }

  /// Reads a key from DER.
  package convenience init(encoded: [UInt8]) throws(DecodingError) {
    let key: (OpaquePointer?, Int) = unsafe encoded.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      let key = unsafe d2i_PUBKEY(nil, &next, buffer.count)
      guard let next = unsafe next, let start = buffer.baseAddress else { return unsafe (key, 0) }
      return unsafe (key, next - start)
    }
    guard unsafe key.1 == encoded.count else {
      unsafe EVP_PKEY_free(key.0)
      throw .unreadable
    }
    try unsafe self.init(owning: key.0)
  }

  init(owning key: OpaquePointer?) throws(DecodingError) {
    ERR_clear_error()
    guard let key = unsafe key else { throw .unreadable }
    unsafe self.key = unsafe key
    encoded = unsafe Self.encode(key)
    guard unsafe P256.hasCurve(of: key) else { throw .otherCurve }
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Returns whether the private key made a signature, as DER, of exactly this message.
  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1 else {
      return false
    }
    return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  private static func encode(_ key: OpaquePointer) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_PUBKEY(key, &bytes)
    defer { unsafe CRYPTO_free(bytes, nil, 0) }
    guard count > 0, let bytes = unsafe bytes else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}

/// The curve P-256, with libcrypto's name for it.
enum P256 {
  static let name = "prime256v1"

  /// Returns whether a public or private key belongs to the curve.
  static func hasCurve(of key: OpaquePointer) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard unsafe EVP_PKEY_is_a(key, "EC") == 1,
      unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
    else { return false }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      == Self.name
  }
}
