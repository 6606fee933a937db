internal import CTLS

/// An X.509 certificate.
@safe final class Certificate {
  let pointer: OpaquePointer

  /// Takes ownership of an OpenSSL certificate.
  init(owning pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  /// Reads the first certificate of a PEM file.
  init(path: String) throws(HTTPServerError) {
    ERR_clear_error()
    guard let file = unsafe BIO_new_file(path, "r") else {
      throw .certificate("\(path) cannot be read.", reading: path)
    }
    defer { unsafe BIO_free(file) }
    guard let read = unsafe PEM_read_bio_X509(file, nil, nil, nil) else {
      throw .certificate("\(path) has no certificate.")
    }
    unsafe pointer = unsafe read
  }

  deinit { unsafe X509_free(pointer) }

  /// The number of whole days until the certificate expires.
  ///
  /// Negative if it has expired.
  var daysLeft: Int {
    var (days, seconds) = (CInt(0), CInt(0))
    guard unsafe ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(pointer)) == 1 else {
      return -1
    }
    return seconds < 0 ? Int(days) - 1 : Int(days)
  }

  /// Whether a key belongs to the certificate.
  func belongs(to key: PrivateKey) -> Bool {
    unsafe X509_check_private_key(pointer, key.pointer) == 1
  }

  /// Whether an authority's key signed the certificate.
  func isSigned(by key: PrivateKey) -> Bool { unsafe X509_verify(pointer, key.pointer) == 1 }

  /// Whether the certificate is valid for a host name or a numeric address.
  func covers(_ host: String) -> Bool {
    if SocketAddress(host, port: 0) != nil {
      return unsafe X509_check_ip_asc(pointer, host, 0) == 1
    }
    return unsafe X509_check_host(pointer, host, host.utf8.count, 0, nil) == 1
  }

  /// Returns the certificate as the bytes of a PEM file.
  func pem() throws(HTTPServerError) -> [UInt8] {
    try unsafe PEMBytes.written { unsafe PEM_write_bio_X509($0, pointer) }
  }
}
