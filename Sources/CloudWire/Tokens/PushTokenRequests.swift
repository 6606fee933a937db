package import JSONCoding

/// `tokens/create`: requests a token with which a device waits for notifications.
package struct TokensCreateRequest: DevicePushRequest, Hashable {
  package typealias Response = PushTokenResponse
  package static let endpoint = DeviceEndpoint.tokensCreate

  /// `development` or `production`.
  package var environment: String?
  /// An identifier of the client.
  ///
  /// A repeated request with the same identifier returns the same token.
  package var clientIdentifier: String?

  package init(environment: String? = nil, clientIdentifier: String? = nil) {
    self.environment = environment
    self.clientIdentifier = clientIdentifier
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    let members = try TokenMembers(from: &reader)
    self.init(environment: members.environment, clientIdentifier: members.clientIdentifier)
  }

  package func write(to writer: inout JSONWriter) {
    writer.members(TokenMembers(environment: environment, clientIdentifier: clientIdentifier))
  }
}

/// `tokens/register`: registers a token that a device received elsewhere.
package struct TokensRegisterRequest: DevicePushRequest, Hashable {
  package typealias Response = EmptyResponse
  package static let endpoint = DeviceEndpoint.tokensRegister

  /// `development` or `production`.
  package var environment: String?
  /// The token in base64.
  package var token: String?
  package var clientIdentifier: String?

  package init(environment: String? = nil, token: String? = nil, clientIdentifier: String? = nil) {
    self.environment = environment
    self.token = token
    self.clientIdentifier = clientIdentifier
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    let members = try TokenMembers(from: &reader)
    self.init(
      environment: members.environment, token: members.token,
      clientIdentifier: members.clientIdentifier)
  }

  package func write(to writer: inout JSONWriter) {
    writer.members(
      TokenMembers(environment: environment, token: token, clientIdentifier: clientIdentifier))
  }
}

// MARK: - Coding

/// The members of token requests.
private struct TokenMembers {
  var environment: String?
  var token: String?
  var clientIdentifier: String?

  init(environment: String?, token: String? = nil, clientIdentifier: String?) {
    self.environment = environment
    self.token = token
    self.clientIdentifier = clientIdentifier
  }

  private enum Key: String, JSONKey {
    case apnsEnvironment, apnsToken, clientId
    static let table = JSONKeyTable<Key>()
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .apnsEnvironment:
        environment = try reader.optionalText()
        if let environment, environment != "development", environment != "production" {
          throw reader.invalidValue("expected development or production")
        }
      case .apnsToken: token = try reader.optionalText()
      case .clientId: clientIdentifier = try reader.optionalText()
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(_ members: TokenMembers) {
    beginObject()
    text("apnsEnvironment", ifPresent: members.environment)
    text("apnsToken", ifPresent: members.token)
    text("clientId", ifPresent: members.clientIdentifier)
    endObject()
  }
}
