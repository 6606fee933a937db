internal import Synchronization

/// The certificate for new connections, which can be reloaded while the server runs.
final class TLSIdentity: Sendable {
  typealias Files = (certificate: String, key: String)

  /// Returns the files, and creates them if the server manages them itself.
  private let files: @Sendable () throws(HTTPServerError) -> Files
  private let current: Mutex<TLSContext>

  init(files: @escaping @Sendable () throws(HTTPServerError) -> Files) throws(HTTPServerError) {
    self.files = files
    let (certificate, key) = try files()
    current = Mutex(try TLSContext(certificate: certificate, key: key))
  }

  /// The context for new connections.
  var context: TLSContext { current.withLock { $0 } }

  /// Reads the files again.
  ///
  /// If they cannot be used, nothing changes.
  func reload() throws(HTTPServerError) {
    let (certificate, key) = try files()
    let renewed = try TLSContext(certificate: certificate, key: key, former: context)
    current.withLock { $0 = renewed }
  }
}

extension HTTPServer.Security {
  /// Returns the configured certificate, or nil without TLS.
  func identity() throws(HTTPServerError) -> TLSIdentity? {
    switch self {
    case .none: nil
    case .files(let certificate, let key): try TLSIdentity { (certificate, key) }
    case .development(let folder, let hosts):
      try TLSIdentity { () throws(HTTPServerError) in
        try DevelopmentAuthority(folder: folder).files(hosts: hosts)
      }
    }
  }
}
