private import COpenSSL

/// A private P-256 key, with which a client of a server signs requests by ECDSA over SHA-256.
@safe package final class SignaturePrivateKey: Sendable {
  // An EVP_PKEY never changes after its creation, and libcrypto counts references atomically.
  private nonisolated(unsafe) let key: OpaquePointer

  /// Generates a key.
  package init() {
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
      preconditionFailure("The libcrypto of this system offers no elliptic curves.")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_group_name(context, P256.name) == 1,
      unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
    else { preconditionFailure("libcrypto could not make a key of the curve P-256.") }
    unsafe self.key = unsafe key
  }

  /// Reads a key as `openssl ecparam -genkey` writes it.
  ///
  /// Returns nil if the text has no key, a key of another algorithm or curve, or an encrypted key.
  package init?(pem: String) {
    let text = Array(pem.utf8)
    guard let input = unsafe BIO_new_mem_buf(text, CInt(clamping: text.count)) else { return nil }
    defer { unsafe BIO_free(input) }
    let key = unsafe withExtendedLifetime(text) {
      // Without a callback, libcrypto asks for the password on the terminal.
      unsafe PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
    }
    ERR_clear_error()
    guard let key = unsafe key else { return nil }
    guard unsafe P256.hasCurve(of: key) else {
      unsafe EVP_PKEY_free(key)
      ERR_clear_error()
      return nil
    }
    unsafe self.key = unsafe key
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// The public key as PEM.
  package var publicPEM: String { unsafe Self.text { unsafe PEM_write_bio_PUBKEY($0, key) } }

  /// The private and the public key as PEM.
  package var pem: String {
    unsafe Self.text { unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  /// Returns the signature of a message as DER.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    var count = 80
    var signature = [UInt8](repeating: 0, count: count)
    guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
      unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else {
      preconditionFailure("libcrypto could not sign, although it could make or read the key.")
    }
    return Array(signature.prefix(count))
  }

  private static func text(_ write: (OpaquePointer) -> CInt) -> String {
    guard let output = unsafe BIO_new(BIO_s_mem()) else { preconditionFailure("Out of memory.") }
    defer { unsafe BIO_free(output) }
    precondition(unsafe write(output) == 1, "libcrypto could not write a key as text.")
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe BIO_read(output, &bytes, CInt(bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }
}
