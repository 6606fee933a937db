import Foundation

extension CKContainer.Configuration {
  /// Refuses a server on another machine without TLS, unless the configuration allows it.
  func checkConnection() throws(CKError) {
    guard server.scheme?.lowercased() == "http", !connection.allowsPlainHTTP,
      !Self.isThisMachine(server.host ?? "")
    else { return }
    throw CKError(
      .badContainer,
      "\(server.absoluteString) is another machine without TLS: tokens and records would pass unencrypted, for every machine between to read and change. Use https. If the network is trusted, allow it: “plainHTTP”: “allowed” in the file, \(ConfigurationSetting.plainHTTP.variable)=allowed, or connection.allowsPlainHTTP."
    )
  }

  /// Whether a host is this machine by its name alone: no name server is asked, which could lie.
  private static func isThisMachine(_ host: String) -> Bool {
    let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]."))
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
  }
}
