/// The operations of a device, by the path that follows the environment's name.
///
/// Devices belong to no database: `/device/1/{container}/{environment}/{endpoint}`.
package enum DeviceEndpoint: String, CaseIterable, Hashable, Sendable {
  case tokensCreate = "tokens/create"
  case tokensRegister = "tokens/register"
}

/// A request of a device.
package protocol DevicePushRequest: ClientRequest {
  /// The endpoint of the request.
  static var endpoint: DeviceEndpoint { get }
}
