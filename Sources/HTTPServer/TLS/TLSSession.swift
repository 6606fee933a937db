internal import CTLS
private import Glibc

/// The TLS session of one connection.
///
/// It belongs to the connection's loop.
@safe final class TLSSession {
  private var session: OpaquePointer?
  private let socket: CInt

  init(_ context: TLSContext, socket: CInt) {
    self.socket = socket
    guard let session = unsafe SSL_new(context.pointer), unsafe SSL_set_fd(session, socket) == 1
    else {
      preconditionFailure("Out of memory: OpenSSL could not create a session.")
    }
    unsafe SSL_set_accept_state(session)
    unsafe self.session = unsafe session
  }

  deinit { free() }

  /// Continues the handshake.
  ///
  /// The result is a count when it is complete.
  func continueHandshake() -> Transport.Result {
    unsafe perform { unsafe SSL_do_handshake($0) }
  }

  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Transport.Result {
    unsafe perform { unsafe SSL_read($0, buffer.baseAddress, CInt(clamping: buffer.count)) }
  }

  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Transport.Result {
    unsafe perform { unsafe SSL_write($0, bytes.baseAddress, CInt(clamping: bytes.count)) }
  }

  /// Signals the end of output to the client, first in TLS and then on the socket.
  func finishOutput() {
    sendCloseNotify()
    shutdown(socket, CInt(SHUT_WR))
  }

  /// Closes the session, with a TLS alert if it ends normally.
  func close(isAbort: Bool) {
    if !isAbort { sendCloseNotify() }
    free()
  }

  private func sendCloseNotify() {
    guard let session = unsafe session, unsafe SSL_is_init_finished(session) == 1 else { return }
    ERR_clear_error()
    unsafe SSL_shutdown(session)
  }

  private func free() {
    unsafe SSL_free(session)
    unsafe session = nil
  }

  private func perform(_ call: (OpaquePointer) -> CInt) -> Transport.Result {
    guard let session = unsafe session else { return .failed }
    // Otherwise an error of another session on this thread could be mistaken for one of this
    // session.
    ERR_clear_error()
    let result = unsafe call(session)
    if result > 0 { return .count(Int(result)) }
    switch unsafe SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ: return .waits(.input)
    case SSL_ERROR_WANT_WRITE: return .waits(.output)
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: return .failed
    }
  }
}
