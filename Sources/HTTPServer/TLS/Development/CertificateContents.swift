internal import CTLS

/// The contents of a certificate to create.
struct CertificateContents {
  /// An extension, in the syntax of OpenSSL's configuration files.
  typealias Extension = (identifier: CInt, value: String)

  var name: String
  var days: Int
  var extensions: [Extension]

  /// Returns the contents of an authority's certificate, which can sign no other authorities.
  static func authority(name: String, days: Int) -> CertificateContents {
    CertificateContents(
      name: name, days: days,
      extensions: [
        (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
        (NID_key_usage, "critical,keyCertSign,cRLSign"),
        (NID_subject_key_identifier, "hash"),
      ])
  }

  /// Returns the contents of a certificate for a server's hosts.
  ///
  /// Only host names and numeric addresses are allowed, because other text could add settings to
  /// the extension.
  static func server(hosts: [String], days: Int) throws(HTTPServerError) -> CertificateContents {
    var names: [String] = []
    for host in hosts { names.append(try alternativeName(host)) }
    return CertificateContents(
      name: hosts.first ?? "localhost", days: days,
      extensions: [
        (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
        (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, names.joined(separator: ",")),
        (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid"),
      ])
  }

  private static func alternativeName(_ host: String) throws(HTTPServerError) -> String {
    if SocketAddress(host, port: 0) != nil { return "IP:\(host)" }
    let isName = host.utf8.allSatisfy { byte in
      ByteClass.isDigit(byte) || ByteClass.lowercased(byte) &- UInt8(ascii: "a") < 26
        || "-.*".utf8.contains(byte)
    }
    guard isName, !host.isEmpty, host.utf8.count < 254 else {
      throw HTTPServerError(
        .certificate, "“\(host)” is neither a host name nor a numeric address.")
    }
    return "DNS:\(host)"
  }

  /// Creates the certificate of a key.
  ///
  /// Without an issuer, the certificate is self-signed.
  func sign(
    for key: PrivateKey, by issuerKey: PrivateKey, issuer: Certificate?
  ) throws(HTTPServerError) -> Certificate {
    ERR_clear_error()
    guard let created = unsafe X509_new() else {
      throw .certificate("A certificate cannot be created.")
    }
    let certificate = unsafe Certificate(owning: created)
    try fill(certificate, key)
    try setIssuer(of: certificate, issuer)
    for entry in extensions { try add(entry, to: certificate, issuer: issuer) }
    guard unsafe X509_sign(certificate.pointer, issuerKey.pointer, EVP_sha256()) > 0 else {
      throw .certificate("A certificate cannot be signed.")
    }
    return certificate
  }

  private func fill(_ certificate: Certificate, _ key: PrivateKey) throws(HTTPServerError) {
    let pointer = unsafe certificate.pointer
    // Positive and unique: 63 random bits.
    let serial = UInt64.random(in: 1...UInt64(Int64.max))
    let secondsOfDay = 86_400
    let isFilled =
      unsafe X509_set_version(pointer, 2) == 1
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serial) == 1
      // Valid from a time slightly in the past, because clocks differ.
      && X509_gmtime_adj(X509_getm_notBefore(pointer), -3600) != nil
      && X509_gmtime_adj(X509_getm_notAfter(pointer), days * secondsOfDay) != nil
      && X509_set_pubkey(pointer, key.pointer) == 1
      && X509_NAME_add_entry_by_txt(
        X509_get_subject_name(pointer), "CN", MBSTRING_ASC | 0, Array(name.utf8),
        CInt(name.utf8.count), -1, 0) == 1
    guard isFilled else { throw .certificate("A certificate for \(name) cannot be filled in.") }
  }

  private func setIssuer(
    of certificate: Certificate, _ issuer: Certificate?
  ) throws(HTTPServerError) {
    let name =
      if let issuer { unsafe X509_get_subject_name(issuer.pointer) } else {
        unsafe X509_get_subject_name(certificate.pointer)
      }
    guard unsafe X509_set_issuer_name(certificate.pointer, name) == 1 else {
      throw .certificate("The issuer of a certificate cannot be set.")
    }
  }

  private func add(
    _ entry: Extension, to certificate: Certificate, issuer: Certificate?
  ) throws(HTTPServerError) {
    var context = unsafe X509V3_CTX()
    let issuerPointer = if let issuer { unsafe issuer.pointer } else { unsafe certificate.pointer }
    unsafe X509V3_set_ctx(&context, issuerPointer, certificate.pointer, nil, nil, 0)
    guard let created = unsafe X509V3_EXT_conf_nid(nil, &context, entry.identifier, entry.value)
    else {
      throw .certificate("“\(entry.value)” is not a certificate extension.")
    }
    defer { unsafe X509_EXTENSION_free(created) }
    guard unsafe X509_add_ext(certificate.pointer, created, -1) == 1 else {
      throw .certificate("An extension cannot be added to a certificate.")
    }
  }
}
