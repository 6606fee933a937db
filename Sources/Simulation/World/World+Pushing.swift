import CloudMirroring

/// The pushes of the server, as what they are to an engine: a reason to ask.
///
/// The stream that real ones come over is read beside everything else, at moments that no seed
/// decides; so devices of a world do not listen to it, and hear of what others did when they next
/// do something.
///
///     a device sends, a late request arrives, the zone is deleted ──▶ a push is on its way to the others
///       ├─▶ it comes before the next steps of its device
///       └─▶ with the fault `push` it comes to some later step or is overtaken by another one, and some come again
extension World {
  /// What the server has may have changed: all devices are told, but for the one that did it.
  func push(toAllBut sender: SimulatedDevice?) {
    untold.formUnion(devices.lazy.map(\.name).filter { $0 != sender?.name })
  }

  /// Lets a device hear what is on its way to it.
  ///
  /// - Parameter mayCome: What chance says of a push that need not come, whether or not there is
  ///   something to tell.
  func hearPush(_ device: SimulatedDevice, mayCome: Bool) throws {
    // Who is to send before having heard of others is one who is told late.
    let isSure = !plan.faults.contains(.push) && !plan.workload.sendsUnheard
    let isNews = untold.contains(device.name)
    guard isSure ? isNews : mayCome else {
      if isNews { note("\(device.name) gets no push") }
      return
    }
    untold.remove(device.name)
    try device.engine().note(.push)
    note("\(device.name) gets a push\(isNews ? "" : " that tells nothing new")")
  }
}
