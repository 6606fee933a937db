internal import CTLS

/// A private key of the curve P-256, with its public key.
@safe final class PrivateKey {
  let pointer: OpaquePointer

  /// Generates a key.
  init() throws(HTTPServerError) {
    guard let created = unsafe parhelion_tls_make_p256_key() else {
      throw .certificate("A key cannot be created.")
    }
    unsafe pointer = unsafe created
  }

  /// Reads the key of a PEM file.
  init(path: String) throws(HTTPServerError) {
    ERR_clear_error()
    guard let file = unsafe BIO_new_file(path, "r") else {
      throw .certificate("\(path) cannot be read.", reading: path)
    }
    defer { unsafe BIO_free(file) }
    guard let read = unsafe PEM_read_bio_PrivateKey(file, nil, parhelion_tls_no_passphrase, nil)
    else {
      throw .certificate("\(path) has no key without a passphrase.")
    }
    unsafe pointer = unsafe read
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// Returns the key as the bytes of a PEM file.
  func pem() throws(HTTPServerError) -> [UInt8] {
    try unsafe PEMBytes.written {
      unsafe PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil)
    }
  }
}

/// Collects the PEM output of OpenSSL.
enum PEMBytes {
  static func written(_ write: (OpaquePointer) -> CInt) throws(HTTPServerError) -> [UInt8] {
    guard let buffer = unsafe BIO_new(BIO_s_mem()) else {
      throw .certificate("There is no memory for a PEM text.")
    }
    defer { unsafe BIO_free(buffer) }
    guard unsafe write(buffer) == 1 else { throw .certificate("A PEM text cannot be written.") }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = unsafe parhelion_tls_written_bytes(buffer, &bytes)
    return unsafe UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
  }
}
