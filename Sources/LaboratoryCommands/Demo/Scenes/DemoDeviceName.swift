/// The processes that the demonstration starts beside the server.
package enum DemoDeviceName: String, CaseIterable, Codable, Sendable {
  case desk, phone
  /// Asks the server as a client that knows nothing of stores.
  case witness

  /// Those that have a store.
  package static let devices: [DemoDeviceName] = [.desk, .phone]
}
