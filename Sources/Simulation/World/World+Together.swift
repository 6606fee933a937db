/// What one save made, and what it left, is seen at once.
extension World {
  /// A device has taken over everything: pairs, and groups that fit into a request, are there or
  /// not.
  func checkTogether(_ device: SimulatedDevice) async throws {
    let check = ContentsCheck(device: device.name, contents: try await device.contents())
    add(check.halves)
    if keepsGroups { add(check.parts) }
  }

  /// The same of the server, as a device finds its objects there.
  ///
  /// - Parameter keys: Those of the device's objects that the server has.
  func checkTogetherOnServer(_ keys: [String]) {
    add(ContentsCheck.halves(of: keys, on: "the server"))
    add(
      ContentsCheck.parts(
        of: Dictionary(uniqueKeysWithValues: keys.map { ($0, "") }), on: "the server"))
  }

  /// Everybody has everything: so are groups that were cut.
  func checkWhole(_ device: SimulatedDevice, _ contents: DeviceContents) {
    let check = ContentsCheck(device: device.name, contents: contents)
    add(check.halves)
    if keepsGroups { add(check.parts + check.remains) }
  }

  /// Whether groups stay together: who sends what was lost with its zone sends it as it fits, and
  /// not as it was saved.
  private var keepsGroups: Bool { !plan.faults.contains(.zone) }
}
