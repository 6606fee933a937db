package import CloudRecords

/// What a request brings to prove who asks; empty texts count as missing.
package struct Credentials: Hashable, Sendable {
  /// The container and environment that the path names.
  package var container: ContainerAddress
  /// `ckAPIToken`.
  package var apiToken: String?
  /// `ckWebAuthToken`, or `ckSession`, its older name.
  package var webToken: String?
  /// Where one of the three headers of signed requests is there.
  package var signature: RequestSignature?
  /// The page that a browser asks for.
  package var origin: String?
  /// Whether the request would change something: a signature is good for one of these.
  package var isChanging: Bool

  package init(
    container: ContainerAddress, apiToken: String? = nil, webToken: String? = nil,
    signature: RequestSignature? = nil,
    origin: String? = nil, isChanging: Bool = false
  ) {
    self.container = container
    self.apiToken = apiToken
    self.webToken = webToken
    self.signature = signature
    self.origin = origin
    self.isChanging = isChanging
  }
}
