import CloudKitTesting
import CloudMirroring
import CloudRecords

/// Devices with different model versions, and the deployment of the schema.
extension World {
  /// Initializes the development schema of a version, and deploys it to production.
  func deploy(_ version: SimulatedModel.Version) async throws {
    server.storage.ignoreCrashPoints(true)
    defer { server.storage.ignoreCrashPoints(false) }
    let developer = try SimulatedDevice(
      "Developer\(version.rawValue)", at: server, in: folder,
      seed: plan.seed ^ UInt64(version.rawValue), sizes: TransferSizes(),
      workload: plan.workload, version: version, environment: .development)
    try await developer.start()
    try await developer.initializeSchema()
    try developer.stop()
    try await cloud.deploySchema()
    deployed = version
    note("the server has version \(version.rawValue)")
  }

  /// Updates a device's program, with its pending changes.
  func update(_ device: SimulatedDevice) async throws {
    guard device.version == .first else { return }
    try await device.update(to: .second)
  }

  /// Checks devices of both versions when they are idle.
  ///
  /// They agree in the part of the model that both versions have. Then all are updated.
  func meet() async throws {
    let first = try await devices[0].contents().known(to: .first)
    for device in devices.dropFirst() {
      if let difference = try await device.contents().known(to: .first).difference(from: first) {
        violate(
          .convergence, "\(device.name) differs in the part that both versions have: \(difference)")
      }
    }
    for device in devices {
      try await update(device)
      note(
        "\(device.name) has version \(device.version.rawValue), pending=\(try device.pendingCount())"
      )
    }
    try await settle()
  }
}
