/// The processes that the demonstration starts in addition to the server.
package enum DemoDeviceName: String, CaseIterable, Codable, Sendable {
  case desk, phone
  /// Reads the server as a client without a store.
  case witness

  /// The processes with a store.
  package static let devices: [DemoDeviceName] = [.desk, .phone]
}
