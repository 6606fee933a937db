import CloudMirroring
import MirrorModel

/// Deletions of the zone by the user.
extension World {
  /// Records the deletion of the zone, with all devices' content.
  func recordPurge() async throws {
    var contents: [DeviceContents] = []
    for device in devices { contents.append(try await device.contents()) }
    acknowledged.recordPurge(contents)
  }

  /// Chooses, as a device's user, whether to upload or remove the data that was deleted in the
  /// cloud.
  func decide(_ device: SimulatedDevice, _ engine: MirrorEngine) async throws {
    let removes = plan.workload.purges && generator.isOnce(in: 3)
    if removes {
      acknowledged.recordRemoval()
      note("\(device.name) removes the data that was deleted in the cloud")
    } else {
      acknowledged.recordReupload(try await device.contents())
    }
    engine.note(.decided(uploadAgain: !removes))
    if removes, plan.mutation == .deleteEverywhere { try await device.deleteEverything() }
  }
}
