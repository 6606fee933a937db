/// A setting of a container in a configuration file or in an environment variable.
package enum ConfigurationSetting: String, CaseIterable, Hashable, Sendable {
  case container
  case server
  case environment
  case apiToken
  case webAuthToken
  case developmentUser
  case keyID
  case keyFile
  case certificateAuthority
  case proxy
  case proxyExceptions
  case clientCertificate
  case clientKey
  case accountFolder
  case encryptedValues
  case plainHTTP

  /// The environment variable of the setting.
  package var variable: String {
    switch self {
    case .container: "PARHELION_CONTAINER"
    case .server: "PARHELION_SERVER"
    case .environment: "PARHELION_ENVIRONMENT"
    case .apiToken: "PARHELION_API_TOKEN"
    case .webAuthToken: "PARHELION_WEB_AUTH_TOKEN"
    case .developmentUser: "PARHELION_DEVELOPMENT_USER"
    case .keyID: "PARHELION_KEY_ID"
    case .keyFile: "PARHELION_KEY_FILE"
    case .certificateAuthority: "PARHELION_CERTIFICATE_AUTHORITY"
    case .proxy: "PARHELION_PROXY"
    case .proxyExceptions: "PARHELION_PROXY_EXCEPTIONS"
    case .clientCertificate: "PARHELION_CLIENT_CERTIFICATE"
    case .clientKey: "PARHELION_CLIENT_KEY"
    case .accountFolder: "PARHELION_ACCOUNT_FOLDER"
    case .encryptedValues: "PARHELION_ENCRYPTED_VALUES"
    case .plainHTTP: "PARHELION_PLAIN_HTTP"
    }
  }

  /// Whether a file may contain the setting.
  ///
  /// A user's token may not, because configuration files are shared.
  package var standsInFiles: Bool { self != .webAuthToken }
}

extension ConfigurationSetting {
  /// The meaning and the default of the setting, as Markdown for the guide.
  package var meaning: String {
    switch self {
    case .container: "The container's identifier; required."
    case .server: "The scheme, host and port of the server; required."
    case .environment: "`development` (default) or `production`."
    case .apiToken: "The application's token (`parhelion token create`)."
    case .webAuthToken:
      "A user's token in addition to the API token: this user is signed in, and stored accounts are ignored."
    case .developmentUser: "The name of a development user instead of tokens."
    case .keyID:
      "The identifier of a program's key instead of tokens: for the public database only."
    case .keyFile: "The PEM file of this key."
    case .certificateAuthority: "A PEM file of trusted authorities instead of the system's."
    case .proxy:
      """
      A proxy, such as `http://proxy.example.com:3128` or `socks5h://localhost:1080`; by default `https_proxy` \
      and the like.
      """
    case .proxyExceptions:
      """
      Hosts, with their subdomains, that are reached without this proxy, separated by commas; for \
      `https_proxy`, use `no_proxy`.
      """
    case .clientCertificate: "The PEM file of a client certificate."
    case .clientKey: "The PEM file of this certificate's private key."
    case .accountFolder: "The folder where accounts are stored."
    case .encryptedValues: "Where encrypted values are encrypted: `device` (default) or `server`."
    case .plainHTTP:
      """
      `allowed` permits `http://` to another machine; tokens and records then travel unencrypted.
      """
    }
  }
}

/// The environment variable with the path of a configuration file.
let configurationFileVariable = "PARHELION_CONFIGURATION"
