import CloudMirroring

/// What becomes of a zone that the user has deleted.
extension World {
  /// The zone is deleted now: what devices have is written down.
  func notePurge() async throws {
    var contents: [DeviceContents] = []
    for device in devices { contents.append(try await device.contents()) }
    book.notePurge(contents)
  }

  /// The user of a device decides what becomes of what was deleted in the cloud.
  func decide(_ device: SimulatedDevice, _ engine: MirrorEngine) async throws {
    let removes = plan.workload.purges && generator.isOnce(in: 3)
    if removes {
      book.noteRemoval()
      note("\(device.name) removes what was deleted in the cloud")
    } else {
      book.noteSentAgain(try await device.contents())
    }
    engine.note(.decided(uploadAgain: !removes))
    if removes, plan.mutation == .deleteEverywhere { try await device.deleteEverything() }
  }
}
