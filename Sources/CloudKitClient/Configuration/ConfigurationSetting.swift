/// What a configuration file or the environment can say of a container.
enum ConfigurationSetting: String, CaseIterable, Hashable, Sendable {
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

  /// The environment's variable.
  var variable: String {
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

  /// Whether a file may say it: what proves who a user is belongs into no file that is handed
  /// around.
  var standsInFiles: Bool { self != .webAuthToken }
}

/// The environment's variable that names a configuration file.
let configurationFileVariable = "PARHELION_CONFIGURATION"
