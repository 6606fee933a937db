package import CloudRecords
package import CloudWire
import RecordStorage

extension RecordServer {
  /// `tokens/create`: creates a token with which a device waits for notifications.
  ///
  /// A client that calls it again gets its existing token.
  ///
  /// - Parameters:
  ///   - address: Creates the address at which a device waits.
  ///   - stream: Creates the address of a device's stream; nil if streams are not available.
  package func createPushToken(
    _ request: TokensCreateRequest, _ call: Call, address: (String) -> String,
    stream: ((String) -> String)? = nil
  ) async throws(CloudError) -> PushTokenResponse {
    try checkListening(call)
    let token = Self.token(dependencies.makeName() + dependencies.makeName())
    let device = StoredDevice(
      token: token, client: try client(request.clientIdentifier) ?? token, seen: dependencies.now())
    let stored = try await keep(device, call, keepsToken: true)
    return PushTokenResponse(
      environment: request.environment ?? "production", token: stored.token,
      webcourierURL: address(stored.token),
      streamURL: stream?(stored.token))
  }

  /// `tokens/register`: registers a token of another push service.
  package func registerPushToken(
    _ request: TokensRegisterRequest, _ call: Call
  ) async throws(CloudError) -> EmptyResponse {
    try checkListening(call)
    guard let token = request.token, (1...512).contains(token.utf8.count),
      Base64Text.bytes(token) != nil
    else {
      throw CloudError(.badRequest, "The apnsToken must be base64 of at most 512 characters.")
    }
    let device = StoredDevice(
      token: token, client: try client(request.clientIdentifier) ?? token, seen: dependencies.now())
    _ = try await keep(device, call, keepsToken: false)
    return EmptyResponse()
  }

  /// The token that a client of the caller created; nil if there is none.
  package func deviceToken(ofClient client: String, _ call: Call) async throws(CloudError)
    -> String?
  {
    guard let user = call.caller.userRecordName else { return nil }
    let store = DeviceStore(realm: call.realm, user: user)
    return try await read(user) { transaction in
      try store.device(of: client, in: transaction)?.token
    }
  }

  private func keep(_ device: StoredDevice, _ call: Call, keepsToken: Bool)
    async throws(CloudError) -> StoredDevice
  {
    let store = DeviceStore(realm: call.realm, user: call.callerName)
    let most = limits.devicesPerUser
    let (kept, gone) = try await write(nil) { transaction -> (StoredDevice, Set<String>) in
      try Self.checkSession(of: call, in: transaction)
      let known = try store.device(of: device.client, in: transaction)
      var kept = known?.seen(at: device.seen) ?? device
      if !keepsToken { kept.token = device.token }
      if try store.has(kept, session: call.session, in: transaction) { return (kept, []) }
      return (kept, try store.save(kept, session: call.session, most: most, in: transaction))
    }
    listener?.listeningChanged(.devices(call.realm, user: call.callerName, gone: gone))
    return kept
  }

  /// Throws if the caller's session has ended: another process may have ended it while its
  /// credentials are still cached.
  private static func checkSession(of call: Call, in transaction: any StorageReading) throws {
    guard let session = call.session, try SessionDirectory.session(session, in: transaction) == nil
    else { return }
    throw CloudError(.authenticationFailed, "The session has ended.", redirectURL: call.redirectURL)
  }

  private func client(_ identifier: String?) throws(CloudError) -> String? {
    guard let client = identifier else { return nil }
    if let defect = CloudName.subscriptionIdentifier.defect(in: client) {
      throw CloudError(.badRequest, "The clientId “\(client.asNameInSentence)” \(defect).")
    }
    return client
  }

  private func checkListening(_ call: Call) throws(CloudError) {
    let permission = Permission.decide(.subscribe, by: call.caller, on: .own(.customZone))
    if let error = permission.error(hiding: CloudError(.accessDenied, "Devices belong to users.")) {
      throw error
    }
  }

  /// Converts hexadecimal digits to Base64.
  private static func token(_ digits: String) -> String {
    let values = digits.utf8.map { $0 < UInt8(ascii: "a") ? $0 & 15 : ($0 & 15) + 9 }
    return Base64Text.text(
      stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}
