/// A certificate authority for the servers of one developer.
///
/// It creates their certificates, so clients need to trust only the authority. Its folder has
/// `authority.pem` for the clients, and three private files: the authority's key, and a server's
/// certificate and key. Files that are missing, damaged, about to expire or for other hosts are
/// created again.
package struct DevelopmentAuthority: Sendable {
  /// The hosts of every development server.
  package static let localHosts = ["localhost", "127.0.0.1", "::1"]

  private let folder: String
  private let serverDays: Int

  /// Creates an authority in a folder, which need not exist yet.
  package init(folder: String) {
    self.init(folder: folder, serverDays: Limits.serverCertificateDays)
  }

  /// Creates an authority whose server certificates are valid for a number of days.
  package init(folder: String, serverDays: Int) {
    self.folder = folder
    self.serverDays = serverDays
  }

  /// The certificate that clients have to trust.
  package var certificate: String { "\(folder)/authority.pem" }
  private var key: String { "\(folder)/authority.key" }
  private var serverCertificate: String { "\(folder)/server.pem" }
  private var serverKey: String { "\(folder)/server.key" }

  /// Creates the missing files, and returns the certificate and key of a server with these hosts
  /// and the local ones.
  package func files(hosts: [String]) throws(HTTPServerError) -> (certificate: String, key: String)
  {
    let hosts = Self.localHosts + hosts.filter { !Self.localHosts.contains($0) }
    try SecretFile.makeFolder(folder)
    if !isAuthorityValid { try makeAuthority() }
    if !isServerValid(hosts: hosts) { try makeServer(hosts: hosts) }
    return (serverCertificate, serverKey)
  }

  // MARK: - The authority

  private var isAuthorityValid: Bool {
    guard let certificate = try? Certificate(path: certificate),
      let key = try? PrivateKey(path: key)
    else {
      return false
    }
    // The authority must outlive the certificates that it signs.
    return certificate.belongs(to: key) && certificate.daysLeft > Limits.serverCertificateDays
  }

  private func makeAuthority() throws(HTTPServerError) {
    let key = try PrivateKey()
    let contents = CertificateContents.authority(
      name: "Parhelion Development", days: Limits.authorityDays)
    let created = try contents.sign(for: key, by: key, issuer: nil)
    try SecretFile.write(try key.pem(), to: self.key)
    try SecretFile.write(try created.pem(), to: certificate)
  }

  // MARK: - The server

  private func isServerValid(hosts: [String]) -> Bool {
    guard let certificate = try? Certificate(path: serverCertificate),
      let key = try? PrivateKey(path: serverKey),
      let authority = try? PrivateKey(path: self.key)
    else { return false }
    return certificate.belongs(to: key) && certificate.isSigned(by: authority)
      && certificate.daysLeft > Limits.renewalDays && hosts.allSatisfy { certificate.covers($0) }
  }

  private func makeServer(hosts: [String]) throws(HTTPServerError) {
    let contents = try CertificateContents.server(hosts: hosts, days: serverDays)
    let key = try PrivateKey()
    let issuer = try Certificate(path: certificate)
    let created = try contents.sign(for: key, by: try PrivateKey(path: self.key), issuer: issuer)
    try SecretFile.write(try key.pem(), to: serverKey)
    try SecretFile.write(try created.pem(), to: serverCertificate)
  }
}
