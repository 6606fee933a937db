/// The orders in which contributions are read.
extension World {
  /// A device has taken over everything: what it had in order stays so when more comes between.
  func checkContributions(_ device: SimulatedDevice) async throws {
    guard keepsValues else { return }
    let check = ContributionCheck(try await device.contents(), on: device.name, book)
    add(check.violations)
    if let former = orders[device.name] { add(check.changes(since: former)) }
    orders[device.name] = check.order
  }

  /// Everybody has everything: a device reads in the same order as one that is new.
  func checkContributions(
    _ device: SimulatedDevice, _ contents: DeviceContents, as truth: DeviceContents
  ) {
    let check = ContributionCheck(contents, on: device.name, book)
    if keepsValues { add(check.violations) }
    let order = ContributionOrder(truth.contributions)
    if check.order != order {
      violate(
        .causality, "\(device.name) reads contributions in another order than a device that is new."
      )
    }
    note("\(device.name) reads \(check.order.byTree.joined(separator: " "))")
  }

  /// Who fills a zone that was emptied may have parts of what was in it.
  private var keepsValues: Bool { !plan.faults.contains(.zone) }
}
