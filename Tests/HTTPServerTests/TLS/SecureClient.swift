import CTLS
import Glibc
import HTTPServer
import TestSupport

/// A TLS client that uses OpenSSL directly.
final class SecureClient: RawClient {
  /// The trusted authority, the offered protocols and the cached sessions of clients.
  final class Context {
    let pointer: OpaquePointer

    /// Creates a context for TLS clients that trust one authority.
    ///
    /// - Parameter authority: The PEM file to trust.
    init(authority: String, highestVersion: CInt = TLS1_3_VERSION) throws {
      pointer = SSL_CTX_new(TLS_client_method())
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
      guard SSL_CTX_load_verify_file(pointer, authority) == 1 else {
        throw Failure(call: "load_verify_file")
      }
      parhelion_tls_set_modes(pointer)
      SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(highestVersion), nil)
      // The server must reject old versions, not this client.
      SSL_CTX_set_security_level(pointer, 0)
    }

    deinit { SSL_CTX_free(pointer) }
  }

  private let session: OpaquePointer

  /// Connects, and verifies that the server is the host with this name or numeric address.
  init(
    _ address: SocketAddress, _ context: Context, host: String = "localhost",
    resuming former: OpaquePointer? = nil,
    protocols: String = "\u{8}http/1.1"
  ) throws {
    session = SSL_new(context.pointer)
    try super.init(port: address.port)
    SSL_set_fd(session, descriptor)
    let isAddress = SocketAddress(host, port: 0) != nil
    let verification = SSL_get0_param(session)
    guard
      (isAddress
        ? X509_VERIFY_PARAM_set1_ip_asc(verification, host)
        : X509_VERIFY_PARAM_set1_host(verification, host, 0)) == 1
    else { throw Failure(call: "set1_host") }
    if !protocols.isEmpty {
      SSL_set_alpn_protos(session, Array(protocols.utf8), UInt32(protocols.utf8.count))
    }
    if let former { SSL_set_session(session, former) }
    ERR_clear_error()
    guard SSL_connect(session) == 1 else { throw Failure(call: "SSL_connect") }
  }

  deinit { SSL_free(session) }

  override func transferOut(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(SSL_write(session, bytes.baseAddress, CInt(bytes.count)))
  }

  override func transferIn(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    ERR_clear_error()
    errno = 0
    let count = SSL_read(session, bytes.baseAddress, CInt(bytes.count))
    if count > 0 { return Int(count) }
    let error = SSL_get_error(session, count)
    // A blocking socket has no data only after its timeout.
    if error == SSL_ERROR_WANT_READ { errno = EAGAIN }
    return error == SSL_ERROR_ZERO_RETURN ? 0 : -1
  }

  override func finish() { SSL_shutdown(session) }

  /// The negotiated protocol.
  var chosenProtocol: String {
    var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    SSL_get0_alpn_selected(session, &name, &count)
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  var version: String { String(cString: SSL_get_version(session)) }
  var hasResumed: Bool { SSL_session_reused(session) == 1 }
  /// The session for another connection to resume; the caller frees it.
  var resumable: OpaquePointer? { SSL_get1_session(session) }

  /// The serial number of the server's certificate.
  var serialNumber: UInt64 {
    guard let certificate = SSL_get1_peer_certificate(session) else { return 0 }
    defer { X509_free(certificate) }
    var number: UInt64 = 0
    ASN1_INTEGER_get_uint64(&number, X509_get_serialNumber(certificate))
    return number
  }
}
