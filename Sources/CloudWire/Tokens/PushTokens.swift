package import JSONCoding

/// `tokens/create` and `tokens/register`: how a device wants to hear of changes.
package struct PushTokenRequest: WireRequest, Hashable {
  package var environment: String?
  package var token: String?
  package var clientIdentifier: String?

  private enum Key: String, JSONKey {
    case apnsEnvironment, apnsToken, clientId
    static let table = JSONKeyTable<Key>()
  }

  package init(environment: String? = nil, token: String? = nil, clientIdentifier: String? = nil) {
    self.environment = environment
    self.token = token
    self.clientIdentifier = clientIdentifier
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init()
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

package struct PushTokenResponse: WireResponse, Hashable {
  package var environment: String
  /// In base64.
  package var token: String
  /// Where the device waits for notifications.
  package var webcourierURL: String

  package init(environment: String, token: String, webcourierURL: String) {
    self.environment = environment
    self.token = token
    self.webcourierURL = webcourierURL
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.text("apnsEnvironment", environment)
    writer.text("apnsToken", token)
    writer.text("webcourierURL", webcourierURL)
    writer.endObject()
  }
}
