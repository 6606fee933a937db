import CTLS

/// A TLS connection.
@safe final class SecureBenchSocket: BenchSocket {
  /// The trust settings, which connections share.
  @safe final class Context {
    fileprivate let pointer: OpaquePointer

    /// Creates a TLS client that trusts one authority.
    ///
    /// - Parameter authority: The PEM file to trust.
    init(authority: String) throws {
      guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
        throw Failure(call: "SSL_CTX_new")
      }
      unsafe pointer = unsafe context
      unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
      unsafe parhelion_tls_set_modes(pointer)
      guard unsafe SSL_CTX_load_verify_file(pointer, authority) == 1 else {
        throw Failure(call: "SSL_CTX_load_verify_file")
      }
    }

    deinit { unsafe SSL_CTX_free(pointer) }
  }

  private let session: OpaquePointer

  init(port: UInt16, _ context: Context) throws {
    guard let session = unsafe SSL_new(context.pointer) else { throw Failure(call: "SSL_new") }
    unsafe self.session = unsafe session
    try super.init(port: port)
    unsafe SSL_set_fd(session, descriptor)
    guard unsafe SSL_connect(session) == 1 else { throw Failure(call: "SSL_connect") }
  }

  deinit { unsafe SSL_free(session) }

  override func transferOut(_ bytes: UnsafeRawBufferPointer) -> Int {
    Int(unsafe SSL_write(session, bytes.baseAddress, CInt(bytes.count)))
  }

  override func transferIn(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    Int(unsafe SSL_read(session, bytes.baseAddress, CInt(bytes.count)))
  }
}
