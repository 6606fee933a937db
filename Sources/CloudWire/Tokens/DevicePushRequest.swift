/// What a device asks for, by the path that follows the environment's name.
///
/// Devices belong to no database: `/device/1/{container}/{environment}/{endpoint}`.
package enum DeviceEndpoint: String, CaseIterable, Hashable, Sendable {
  case tokensCreate = "tokens/create"
  case tokensRegister = "tokens/register"
}

/// A question of a device.
package protocol DevicePushRequest: ClientRequest {
  /// Where the question goes.
  static var endpoint: DeviceEndpoint { get }
}
