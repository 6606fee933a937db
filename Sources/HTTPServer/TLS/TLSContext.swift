internal import CTLS

/// A certificate with its key, and the TLS settings.
///
/// It is immutable, and many connections share it.
@safe final class TLSContext: Sendable {
  // OpenSSL counts the references to a context and guards it with its own locks.
  nonisolated(unsafe) let pointer: OpaquePointer

  /// Reads PEM files: the certificate followed by its chain, and the key.
  ///
  /// - Parameter former: A context whose sessions clients may resume with this one.
  init(certificate: String, key: String, former: TLSContext? = nil) throws(HTTPServerError) {
    ERR_clear_error()
    guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw .certificate("A TLS context cannot be created.")
    }
    unsafe pointer = unsafe context
    configure()
    if let former { takeTicketKeys(of: former) }
    guard unsafe SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
      throw .certificate(
        "The certificate file \(certificate) cannot be used; it must have PEM certificates.",
        reading: certificate)
    }
    guard unsafe SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
      throw .certificate(
        "The key file \(key) cannot be used; it must have a PEM key without a passphrase that belongs to \(certificate).",
        reading: key)
    }
    guard unsafe SSL_CTX_check_private_key(pointer) == 1 else {
      throw .certificate("The key in \(key) does not belong to the certificate in \(certificate).")
    }
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  private func configure() {
    unsafe parhelion_tls_set_minimum_version(pointer)
    unsafe parhelion_tls_set_modes(pointer)
    unsafe parhelion_tls_keep_no_sessions(pointer)
    unsafe parhelion_tls_refuse_passphrases(pointer)
    unsafe parhelion_tls_offer_http11(pointer)
    // HTTP frames its messages, so a connection that ends without a TLS alert cannot truncate one
    // unnoticed.
    unsafe SSL_CTX_set_options(
      pointer,
      Self.ignoreUnexpectedEnd | Self.noRenegotiation | Self.noCompression
        | Self.preferServerCiphers)
    unsafe SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
    unsafe SSL_CTX_set_num_tickets(pointer, 1)
    let name = Array("parhelion".utf8)
    unsafe SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
  }

  // The macros contain casts, so Swift does not import them.
  private static let noCompression: UInt64 = 1 << 17
  private static let preferServerCiphers: UInt64 = 1 << 22
  private static let noRenegotiation: UInt64 = 1 << 30
  private static let ignoreUnexpectedEnd: UInt64 = 1 << 7

  private func takeTicketKeys(of former: TLSContext) {
    var keys = [UInt8](repeating: 0, count: Int(unsafe parhelion_tls_ticket_key_length(pointer)))
    guard unsafe parhelion_tls_get_ticket_keys(former.pointer, &keys, CInt(keys.count)) == 1 else {
      return
    }
    _ = unsafe parhelion_tls_set_ticket_keys(pointer, &keys, CInt(keys.count))
  }
}
