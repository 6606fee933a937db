package import JSONCoding

/// The token of a device, and the addresses at which it waits.
package struct PushTokenResponse: ClientResponse, Hashable {
  package var environment: String
  /// The token in base64.
  package var token: String
  /// The address at which the device waits for one notification.
  package var webcourierURL: String
  /// The address of a stream of notifications, or nil if the server has none.
  ///
  /// It is an addition of Parhelion to the protocol.
  package var streamURL: String?

  package init(environment: String, token: String, webcourierURL: String, streamURL: String? = nil)
  {
    self.environment = environment
    self.token = token
    self.webcourierURL = webcourierURL
    self.streamURL = streamURL
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.text("apnsEnvironment", environment)
    writer.text("apnsToken", token)
    writer.text("webcourierURL", webcourierURL)
    writer.text("streamURL", ifPresent: streamURL)
    writer.endObject()
  }

  private enum Key: String, JSONKey {
    case apnsEnvironment, apnsToken, webcourierURL, streamURL
    static let table = JSONKeyTable<Key>()
  }

  package init(from reader: inout JSONReader) throws(JSONError) {
    var (token, url): (String?, String?) = (nil, nil)
    self.init(environment: "production", token: "", webcourierURL: "")
    var object = try reader.beginObject(Key.self)
    while let key = try reader.nextKey(of: &object) {
      switch key {
      case .apnsEnvironment: environment = try reader.optionalText() ?? environment
      case .apnsToken: token = try reader.string()
      case .webcourierURL: url = try reader.string()
      case .streamURL: streamURL = try reader.optionalText()
      }
    }
    guard let token else { throw reader.missingKey(Key.apnsToken) }
    guard let url else { throw reader.missingKey(Key.webcourierURL) }
    (self.token, webcourierURL) = (token, url)
  }
}
