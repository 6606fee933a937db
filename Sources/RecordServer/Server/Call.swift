package import CloudRecords
package import CloudWire

/// The context of a request other than its body: the caller and the database.
package struct Call: Hashable, Sendable {
  package var container: ContainerAddress
  package var realm: Realm
  package var scope: DatabaseScope
  package var caller: Caller
  /// The identifier of the session that authenticates the call; nil for other credentials.
  package var session: String?
  /// Whether the client is Parhelion's own, and understands extensions such as record types in
  /// tombstones.
  package var isOwnClient: Bool
  /// Whether the client wants the zone's current sync token with the records.
  package var wantsSyncToken: Bool
  /// The token of the caller's device, which is not notified of its own changes.
  package var deviceToken: String?
  /// The client's number of the request; nil if it has none.
  package var stamp: RequestStamp?
  /// A hash that distinguishes requests with the same number; nil without a number.
  var fingerprint: [UInt8]?
  /// The server's address as the caller knows it, such as `https://cloud.example.com`, with which
  /// addresses in responses begin.
  package var serverAddress: String
  /// The address of the sign-in page, for errors that ask a user to sign in.
  package var redirectURL: String?

  package init(
    container: ContainerAddress, realm: Realm, scope: DatabaseScope, caller: Caller,
    session: String? = nil,
    isOwnClient: Bool = false,
    wantsSyncToken: Bool = false, deviceToken: String? = nil, serverAddress: String = "",
    redirectURL: String? = nil
  ) {
    self.container = container
    self.realm = realm
    self.scope = scope
    self.caller = caller
    self.session = session
    self.isOwnClient = isOwnClient
    self.wantsSyncToken = wantsSyncToken
    self.deviceToken = deviceToken
    self.serverAddress = serverAddress
    self.redirectURL = redirectURL
  }
}
