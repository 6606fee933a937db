import CloudRecords
import CloudWire
import JSONCoding

/// Administration of API tokens, server keys and the server's own secrets.
extension Accounts {
  func administerTokens(
    _ operation: AdministrationOperation, _ request: AdministrationRequest
  ) async throws(CloudError) -> AdministrationResponse {
    switch operation {
    case .tokensCreate:
      let made = try await createAPIToken(
        for: request.address, label: request.label ?? "", allowedOrigins: request.origins,
        callbackURL: request.callback, expires: request.expires.map(Timestamp.init(milliseconds:)))
      return AdministrationResponse(["apiToken": .string(made.text), "token": made.token.shown])
    case .tokensRevoke:
      try await revokeAPIToken(request.required(\.identifier, "identifier"))
      return AdministrationResponse([:])
    default:
      return AdministrationResponse(["tokens": .array(try await listAPITokens().map(\.shown))])
    }
  }

  func administerKeys(
    _ operation: AdministrationOperation, _ request: AdministrationRequest
  ) async throws(CloudError) -> AdministrationResponse {
    switch operation {
    case .keysAdd:
      let key = try await addServerKey(
        publicKey: request.required(\.publicKey, "publicKey"), for: request.address,
        label: request.label ?? "",
        expires: request.expires.map(Timestamp.init(milliseconds:)))
      return AdministrationResponse(["key": key.shown])
    case .keysRevoke:
      try await revokeServerKey(request.required(\.identifier, "identifier"))
      return AdministrationResponse([:])
    case .keysRenew:
      try await renewSecrets(atOnce: request.atOnce)
      return AdministrationResponse([:])
    case .keysAdministrator:
      return AdministrationResponse([
        "administratorKey": .string(try await replaceAdministratorKey())
      ])
    default:
      return AdministrationResponse(["keys": .array(try await listServerKeys().map(\.shown))])
    }
  }
}

extension APIToken {
  /// The token's properties, without its secret text.
  fileprivate var shown: JSONValue {
    .present([
      "identifier": .string(identifier), "container": .string(container.container),
      "environment": .string(container.environment.rawValue), "label": .string(label),
      "origins": .array(allowedOrigins.map(JSONValue.string)),
      "callback": callbackURL.map(JSONValue.string),
      "created": .integer(created.milliseconds),
      "expires": expires.map { .integer($0.milliseconds) },
      "revoked": revoked.map { .integer($0.milliseconds) },
    ])
  }
}

extension ServerKey {
  fileprivate var shown: JSONValue {
    .present([
      "identifier": .string(identifier), "container": .string(container.container),
      "environment": .string(container.environment.rawValue), "label": .string(label),
      "created": .integer(created.milliseconds),
      "expires": expires.map { .integer($0.milliseconds) },
      "revoked": revoked.map { .integer($0.milliseconds) },
    ])
  }
}
