import CloudRecords

/// The advice for errors that a container's credentials cause.
enum CredentialRemedy {
  /// A sentence for an error; nil if the configured credentials are not its cause, or if the error
  /// says enough.
  ///
  /// - Parameters:
  ///   - configured: The credentials of the configuration.
  ///   - isSignedIn: Whether requests are sent as a user.
  static func text(
    for error: CloudError, configured: CloudCredentials, isSignedIn: Bool
  ) -> String? {
    guard [.authenticationFailed, .authenticationRequired].contains(error.code) else { return nil }
    let isAboutAPIToken = error.extension == .apiTokenRefused
    let webToken = ConfigurationSetting.webAuthToken.variable
    return switch configured {
    case .none:
      """
      Set \(ConfigurationSetting.developmentUser.variable) to the name of a development user of a \
      local server, or \(ConfigurationSetting.apiToken.variable) and \(webToken).
      """
    case .program where isAboutAPIToken, .user where isAboutAPIToken: nil
    case .program where isSignedIn: "Sign in again."
    case .program: "Sign in, or set \(webToken) to a token of “parhelion user token”."
    case .user: "Set \(webToken) to a new token of “parhelion user token”."
    case .developmentUser, .serverKey: nil
    }
  }
}
