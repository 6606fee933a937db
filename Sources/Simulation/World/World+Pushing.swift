import CloudMirroring
import MirrorModel

/// The server's pushes, as reasons for an engine to import.
///
/// A real push stream is read concurrently, at times that no seed determines. So devices of a world
/// do not use it, and learn of others' changes at their next activity.
///
///     a device exports, a delayed request arrives, or the zone is deleted
///       └─▶ pushes to the other devices are pending
///             ├─▶ without the fault `push`, it arrives before the next steps of its device
///             └─▶ with the fault `push`, it arrives later, coalesced with others, or twice
extension World {
  /// Adds a pending push for all devices, except for the one that made the change.
  func push(toAllBut sender: SimulatedDevice?) {
    pendingPushes.formUnion(devices.lazy.map(\.name).filter { $0 != sender?.name })
  }

  /// Delivers the pending push of a device.
  ///
  /// - Parameter mayCome: Whether a push arrives at this step under the fault `push`, even if none
  ///   is pending.
  func deliverPush(_ device: SimulatedDevice, mayCome: Bool) throws {
    // A device that should export before it imports gets its pushes late.
    let isSure = !plan.faults.contains(.push) && !plan.workload.exportsBeforeImports
    let isNews = pendingPushes.contains(device.name)
    guard isSure ? isNews : mayCome else {
      if isNews { note("\(device.name) gets no push") }
      return
    }
    pendingPushes.remove(device.name)
    try device.note(.push)
    note("\(device.name) gets a push\(isNews ? "" : " without news")")
  }
}
