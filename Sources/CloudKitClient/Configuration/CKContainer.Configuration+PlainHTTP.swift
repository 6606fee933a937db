import Foundation

extension CKContainer.Configuration {
  /// Rejects a remote server without TLS, unless the configuration allows it.
  func checkConnection() throws(CKError) {
    guard server.scheme?.lowercased() == "http", !connection.allowsPlainHTTP,
      !Self.isThisMachine(server.host ?? "")
    else { return }
    throw CKError(
      .badContainer,
      "\(server.absoluteString) is a remote server without TLS. Others on the network could read and change tokens and records. Use https. If the network is trusted, allow plain HTTP: “plainHTTP”: “allowed” in the file, \(ConfigurationSetting.plainHTTP.variable)=allowed, or connection.allowsPlainHTTP."
    )
  }

  /// Whether a host name denotes this machine without a DNS lookup, which could be spoofed.
  private static func isThisMachine(_ host: String) -> Bool {
    let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]."))
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
  }
}
