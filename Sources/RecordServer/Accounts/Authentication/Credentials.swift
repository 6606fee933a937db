package import CloudRecords

/// The credentials of a request.
///
/// Empty strings count as missing.
package struct Credentials: Hashable, Sendable {
  /// The container and environment in the path.
  package var container: ContainerAddress
  /// `ckAPIToken`.
  package var apiToken: String?
  /// `ckWebAuthToken`, or its older name `ckSession`.
  package var webToken: String?
  /// The signature, if any of the three headers of signed requests is present.
  package var signature: RequestSignature?
  /// The origin of the page, if the request comes from a browser.
  package var origin: String?
  /// Whether the request changes something.
  ///
  /// A signature is valid for one such request.
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
