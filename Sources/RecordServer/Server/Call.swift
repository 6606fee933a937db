package import CloudRecords
package import CloudWire

/// What is known of a request besides its body: who asks, and which database is meant.
package struct Call: Hashable, Sendable {
  package var container: ContainerAddress
  package var realm: Realm
  package var scope: DatabaseScope
  package var caller: Caller
  /// The identifier of the session that proves it; nil where something else does.
  package var session: String?
  /// The client understands records' types in tombstones and other things that documented clients
  /// do not.
  package var isOwnClient: Bool
  /// The client wants to know, beside records, where their zone's feed ends.
  package var wantsSyncToken: Bool
  /// The token of the device that asks: it is not told of what it does.
  package var deviceToken: String?
  /// Which of the client's requests it is; nil where the client does not say.
  package var stamp: RequestStamp?
  /// Tells a request that has a number from another one with the same; nil for one without.
  var fingerprint: [UInt8]?
  /// How the caller reaches the server, such as `https://cloud.example.com`: what addresses in
  /// answers begin with.
  package var serverAddress: String
  /// Where somebody can sign in who has not; items that need a user say so.
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
