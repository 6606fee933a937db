import CloudRecords
import HTTPServer
import RecordServer

/// Requests that name a development user without credentials.
///
/// A web page in a browser on this machine must not be able to send such a request. The page may
/// come from another origin, or its host name may have changed to resolve to this machine (DNS
/// rebinding). So a header field names the user, since forms and links cannot send it. Requests
/// with an `Origin` are rejected, and the `Host` must name this machine.
extension RecordService {
  /// The header field that names a development user.
  package static let developmentUserField = "X-Parhelion-Development-User"
  static let lowercasedDevelopmentUserField: StaticString = "x-parhelion-development-user"

  /// Returns the caller of a request: the development user that it names, or the owner of its
  /// credentials.
  func authenticate(
    _ request: HTTPRequest, _ credentials: Credentials, from network: String
  ) async throws(CloudError) -> Authentication {
    guard let name = request.headers[Self.lowercasedDevelopmentUserField] else {
      return try await accounts.authenticate(credentials, from: network)
    }
    if let reason = developmentUserError(of: request, credentials) {
      throw CloudError(.accessDenied, reason)
    }
    return try await accounts.authenticate(
      developmentUser: DevelopmentUserName(name), in: credentials.container)
  }

  /// The error of a request that may not name a development user, or nil.
  private func developmentUserError(of request: HTTPRequest, _ credentials: Credentials) -> String?
  {
    guard settings.allowsDevelopmentUsers else {
      return
        "This server has no development users: it listens on a network address, has a public address, is behind a proxy, or was started with --no-development-users. Send tokens."
    }
    guard credentials.container.environment == .development else {
      return "Development users exist in the development environment only. Send tokens."
    }
    guard credentials.apiToken == nil, credentials.webToken == nil, credentials.signature == nil
    else {
      return "A request names a development user or has credentials, not both."
    }
    guard !request.headers.contains("origin") else {
      return
        "A page in a browser cannot be a development user. Create an API token with --origin, and sign in."
    }
    guard request.remoteAddress.isLoopback, request.head.version != .http10,
      !Self.proxyFields.contains(where: { request.headers.contains($0) })
    else {
      return "A request of a development user must come from this machine, without a proxy."
    }
    guard LoopbackHost.isNamed(by: request.head.authority) else {
      return
        "A request of a development user must address the server as 127.0.0.1, [::1] or localhost."
    }
    return nil
  }

  /// Header fields that proxies add.
  private static let proxyFields: [StaticString] = [
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
    "x-forwarded-port",
    "x-forwarded-server", "x-real-ip", "cf-connecting-ip", "true-client-ip",
  ]
}
