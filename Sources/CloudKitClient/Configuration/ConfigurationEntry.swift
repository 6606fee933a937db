import CloudRecords
import Foundation

/// One container as a file or the environment describes it, before anybody has asked what its texts
/// mean.
struct ConfigurationEntry: Sendable {
  /// Where an entry comes from.
  enum Source: Hashable, Sendable {
    case environment
    /// The file, and the entry's place in it.
    case file(path: String, place: String)
  }

  let source: Source
  var texts: [ConfigurationSetting: String] = [:]

  /// Gives the text of a file that the entry names.
  typealias FileText = (_ path: String) throws(CKError) -> String

  /// What the entry says.
  ///
  /// - Throws: What is missing or makes no sense, with the place and a remedy.
  func configuration(_ fileText: FileText) throws(CKError) -> CKContainer.Configuration {
    CKContainer.Configuration(
      containerIdentifier: try container(), server: try server(), environment: try environment(),
      credentials: try credentials(fileText),
      connection: CKContainer.Configuration.Connection(
        certificateAuthority: path(.certificateAuthority).map { URL(fileURLWithPath: $0) },
        proxy: try proxy(), proxyExceptions: try proxyExceptions(),
        clientCertificate: try clientCertificate(),
        allowsPlainHTTP: try allowsPlainHTTP()),
      accountStorage: path(.accountFolder).map {
        .folder(URL(fileURLWithPath: $0, isDirectory: true))
      } ?? .user,
      encryptedValues: try encryptedValues())
  }

  // MARK: Settings

  func container() throws(CKError) -> String {
    let name = try required(.container)
    if let fault = CloudName.container.fault(in: name) {
      throw wrong(.container, "\(fault). A container is named like iCloud.com.example.notes")
    }
    return name
  }

  private func server() throws(CKError) -> URL {
    let text = try required(.server)
    guard let parts = URLComponents(string: text),
      ["http", "https"].contains(parts.scheme?.lowercased()),
      parts.host?.isEmpty == false, ["", "/"].contains(parts.path), parts.query == nil,
      parts.fragment == nil,
      parts.user == nil, let url = parts.url
    else {
      throw wrong(.server, "is no address of a server. One looks like https://cloud.example.com")
    }
    return url
  }

  private func environment() throws(CKError) -> CKContainer.Configuration.Environment {
    guard let text = texts[.environment] else { return .development }
    guard let environment = CKContainer.Configuration.Environment(rawValue: text) else {
      throw wrong(
        .environment,
        "is no environment. There are development, which is meant where nothing is said, and production"
      )
    }
    return environment
  }

  private func encryptedValues() throws(CKError) -> CKContainer.Configuration.EncryptedValues {
    guard let text = texts[.encryptedValues] else { return .device }
    guard let who = CKContainer.Configuration.EncryptedValues(rawValue: text) else {
      throw wrong(
        .encryptedValues,
        "says nobody who encrypts. There are device, which is meant where nothing is said, and server"
      )
    }
    return who
  }

  private func allowsPlainHTTP() throws(CKError) -> Bool {
    guard let text = texts[.plainHTTP] else { return false }
    guard text == "allowed" else {
      throw wrong(
        .plainHTTP, "is not “allowed”, the only value that there is. Remove it where https is meant"
      )
    }
    return true
  }

  private func proxy() throws(CKError) -> URL? {
    guard let text = texts[.proxy] else { return nil }
    guard let url = URL(string: text),
      ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else {
      throw wrong(.proxy, "is no address of a proxy. One looks like http://proxy.example.com:3128")
    }
    return url
  }

  /// Hosts, with commas between them.
  private func proxyExceptions() throws(CKError) -> [String] {
    guard let text = texts[.proxyExceptions] else { return [] }
    guard texts[.proxy] != nil else {
      throw missing(.proxy, "the proxy that there are exceptions from")
    }
    let hosts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !hosts.isEmpty, hosts.allSatisfy({ !$0.isEmpty && !$0.contains { " /:".contains($0) } })
    else {
      throw wrong(
        .proxyExceptions, "is no list of hosts. One looks like localhost,intranet.example.com")
    }
    return hosts
  }

  private func clientCertificate() throws(CKError) -> CKContainer.Configuration.ClientCertificate? {
    switch (path(.clientCertificate), path(.clientKey)) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return CKContainer.Configuration.ClientCertificate(
        certificate: URL(fileURLWithPath: certificate), privateKey: URL(fileURLWithPath: key))
    case (_?, nil): throw missing(.clientKey, "the file with the certificate's private key in PEM")
    case (nil, _?): throw missing(.clientCertificate, "the file with the certificate in PEM")
    }
  }

  private func credentials(_ fileText: FileText) throws(CKError)
    -> CKContainer.Configuration.Credentials
  {
    if let user = texts[.developmentUser] {
      for other in [ConfigurationSetting.apiToken, .webAuthToken, .keyID, .keyFile]
      where texts[other] != nil {
        throw wrong(
          other,
          "cannot stand beside \(name(.developmentUser)), which needs no proof. Remove one of them",
          isQuoted: false)
      }
      return .developmentUser(user)
    }
    switch (texts[.keyID], path(.keyFile)) {
    case (nil, nil): break
    case (let identifier?, let path?):
      for other in [ConfigurationSetting.apiToken, .webAuthToken] where texts[other] != nil {
        throw wrong(
          other,
          "cannot stand beside \(name(.keyID)): requests are signed by a key, or carry tokens. Remove one of them",
          isQuoted: false)
      }
      return .serverKey(identifier: identifier, privateKey: try fileText(path))
    case (_?, nil): throw missing(.keyFile, "the file with the private key in PEM")
    case (nil, _?): throw missing(.keyID, "the identifier that the server gave the key")
    }
    switch (texts[.apiToken], texts[.webAuthToken]) {
    case (nil, nil): return .none
    case (let program?, nil): return .program(apiToken: program)
    case (let program?, let user?): return .user(apiToken: program, webAuthToken: user)
    case (nil, _?):
      throw missing(.apiToken, "the program's token, which requests of a user carry too")
    }
  }

  /// A path; in a file, it begins at the file's folder.
  private func path(_ setting: ConfigurationSetting) -> String? {
    guard let text = texts[setting] else { return nil }
    guard case .file(let path, _) = source, !text.hasPrefix("/") else { return text }
    return URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + text
  }

  // MARK: Errors

  private func required(_ setting: ConfigurationSetting) throws(CKError) -> String {
    guard let text = texts[setting] else {
      throw missing(setting, setting == .server ? "the server's address" : "the container's name")
    }
    return text
  }

  private func missing(_ setting: ConfigurationSetting, _ meaning: String) -> CKError {
    let told =
      switch source {
      case .environment:
        "The environment describes a container, but \(setting.variable) is missing: \(meaning)."
      case .file(let path, let place):
        "\(path): \(place) has no “\(setting.rawValue)”: \(meaning). Add it."
      }
    return CKError(.badContainer, told)
  }

  private func wrong(_ setting: ConfigurationSetting, _ fault: String, isQuoted: Bool = true)
    -> CKError
  {
    let value = isQuoted ? " “\((texts[setting] ?? "").prefix(80))”" : ""
    let place =
      switch source {
      case .environment: setting.variable
      case .file(let path, let place): "\(path): \(place).\(setting.rawValue)"
      }
    return CKError(.badContainer, "\(place)\(value) \(fault).")
  }

  private func name(_ setting: ConfigurationSetting) -> String {
    source == .environment ? setting.variable : setting.rawValue
  }
}

extension ConfigurationEntry {
  /// The container that the environment describes: a whole one, or none.
  ///
  /// Parts of the environment and of a file are not mixed: else the secrets of one would go to the
  /// server of the other.
  init?(environment: [String: String]) {
    source = .environment
    for setting in ConfigurationSetting.allCases {
      // A variable that is empty is one that is not set.
      if let text = environment[setting.variable], !text.isEmpty { texts[setting] = text }
    }
    if texts.isEmpty { return nil }
  }
}
