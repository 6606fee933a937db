import CloudRecords
import Foundation

/// The unparsed settings of one container, from a file or from environment variables.
struct ConfigurationEntry: Sendable {
  /// The origin of an entry.
  enum Source: Hashable, Sendable {
    case environment
    /// The file's path, and the entry's place in the file.
    case file(path: String, place: String)
  }

  let source: Source
  var texts: [ConfigurationSetting: String] = [:]

  /// Returns the text of a file that the entry refers to.
  typealias FileText = (_ path: String) throws(CKError) -> String

  /// Parses the entry.
  ///
  /// - Throws: An error that says what is missing or invalid, where, and what to do.
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
    if let defect = CloudName.container.defect(in: name) {
      throw wrong(
        .container, "\(defect). A valid identifier is, for example, iCloud.com.example.notes")
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
      throw wrong(
        .server,
        "is not the URL of a server. A valid one is, for example, https://cloud.example.com")
    }
    return url
  }

  private func environment() throws(CKError) -> CKContainer.Configuration.Environment {
    guard let text = texts[.environment] else { return .development }
    guard let environment = CKContainer.Configuration.Environment(rawValue: text) else {
      throw wrong(
        .environment, "is not an environment. Use development, which is the default, or production")
    }
    return environment
  }

  private func encryptedValues() throws(CKError) -> CKContainer.Configuration.EncryptedValues {
    guard let text = texts[.encryptedValues] else { return .device }
    guard let values = CKContainer.Configuration.EncryptedValues(rawValue: text) else {
      throw wrong(
        .encryptedValues,
        "is not a valid value. Use device, which is the default, or server")
    }
    return values
  }

  private func allowsPlainHTTP() throws(CKError) -> Bool {
    guard let text = texts[.plainHTTP] else { return false }
    guard text == "allowed" else {
      throw wrong(
        .plainHTTP, "is not “allowed”, the only valid value. Remove the setting to use https")
    }
    return true
  }

  private func proxy() throws(CKError) -> URL? {
    guard let text = texts[.proxy] else { return nil }
    guard let url = URL(string: text),
      ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else {
      throw wrong(
        .proxy,
        "is not the URL of a proxy. A valid one is, for example, http://proxy.example.com:3128")
    }
    return url
  }

  /// The hosts, separated by commas.
  private func proxyExceptions() throws(CKError) -> [String] {
    guard let text = texts[.proxyExceptions] else { return [] }
    guard texts[.proxy] != nil else {
      throw missing(.proxy, "the proxy that the exceptions apply to")
    }
    let hosts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !hosts.isEmpty, hosts.allSatisfy({ !$0.isEmpty && !$0.contains { " /:".contains($0) } })
    else {
      throw wrong(
        .proxyExceptions,
        "is not a list of hosts. A valid one is, for example, localhost,intranet.example.com")
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
          "cannot be combined with \(name(.developmentUser)), which needs no token. Remove one of them",
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
          "cannot be combined with \(name(.keyID)): requests are either signed or carry tokens. Remove one of them",
          isQuoted: false)
      }
      return .serverKey(identifier: identifier, privateKey: try fileText(path))
    case (_?, nil): throw missing(.keyFile, "the file with the private key in PEM")
    case (nil, _?): throw missing(.keyID, "the identifier that the server assigned to the key")
    }
    switch (texts[.apiToken], texts[.webAuthToken]) {
    case (nil, nil): return .none
    case (let program?, nil): return .program(apiToken: program)
    case (let program?, let user?): return .user(apiToken: program, webAuthToken: user)
    case (nil, _?): throw missing(.apiToken, "the app's token, which a user's requests also need")
    }
  }

  /// The path in a setting.
  ///
  /// In a configuration file, a relative path is relative to that file's folder.
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
    let reported =
      switch source {
      case .environment:
        "The environment describes a container, but \(setting.variable) is missing: \(meaning)."
      case .file(let path, let place):
        "\(path): \(place) has no “\(setting.rawValue)”: \(meaning). Add it."
      }
    return CKError(.badContainer, reported)
  }

  private func wrong(_ setting: ConfigurationSetting, _ defect: String, isQuoted: Bool = true)
    -> CKError
  {
    let text = texts[setting] ?? ""
    // The password of a URL stays out of logs.
    let value = isQuoted && !text.contains("@") ? " “\(text.prefix(80))”" : ""
    let place =
      switch source {
      case .environment: setting.variable
      case .file(let path, let place): "\(path): \(place).\(setting.rawValue)"
      }
    return CKError(.badContainer, "\(place)\(value) \(defect).")
  }

  private func name(_ setting: ConfigurationSetting) -> String {
    source == .environment ? setting.variable : setting.rawValue
  }
}

extension ConfigurationEntry {
  /// Reads the container that environment variables describe; nil if no variable is set.
  ///
  /// Settings of the variables and of a file are never combined. Otherwise the secrets of one could
  /// be sent to the server of the other.
  init?(environment: [String: String]) {
    source = .environment
    for setting in ConfigurationSetting.allCases {
      // An empty variable counts as unset.
      if let text = environment[setting.variable], !text.isEmpty { texts[setting] = text }
    }
    if texts.isEmpty { return nil }
  }
}
