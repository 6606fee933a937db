/// The reading orders of contributions.
extension World {
  /// Checks, after a device's complete import, that the relative order of its contributions is
  /// unchanged.
  func checkContributions(_ device: SimulatedDevice) async throws {
    guard keepsValues else { return }
    let check = ContributionCheck(try await device.contents(), on: device.name, acknowledged)
    add(check.violations)
    if let former = orders[device.name] { add(check.changes(since: former)) }
    orders[device.name] = check.order
  }

  /// Checks, after all devices are complete, that a device's order equals that of a new one.
  func checkContributions(
    _ device: SimulatedDevice, _ contents: DeviceContents, as truth: DeviceContents
  ) {
    let check = ContributionCheck(contents, on: device.name, acknowledged)
    if keepsValues { add(check.violations) }
    let order = ContributionOrder(truth.contributions)
    if check.order != order {
      violate(
        .causality, "\(device.name) reads contributions in another order than a new device."
      )
    }
    note("\(device.name) reads \(check.order.byTree.joined(separator: " "))")
  }

  /// Whether all values survive: a device that fills an emptied zone may have only a part of them.
  private var keepsValues: Bool { !plan.faults.contains(.zone) }
}
