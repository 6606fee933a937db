internal import Synchronization

/// The certificate that new connections get, which can be read again while the server runs.
final class TLSIdentity: Sendable {
  private let certificate: String
  private let key: String
  private let current: Mutex<TLSContext>

  init(certificate: String, key: String) throws(HTTPServerError) {
    self.certificate = certificate
    self.key = key
    current = Mutex(try TLSContext(certificate: certificate, key: key))
  }

  /// What new connections use.
  var context: TLSContext { current.withLock { $0 } }

  /// Reads the files again.
  ///
  /// Where they cannot be used, nothing changes.
  func reload() throws(HTTPServerError) {
    let renewed = try TLSContext(certificate: certificate, key: key, former: context)
    current.withLock { $0 = renewed }
  }
}
