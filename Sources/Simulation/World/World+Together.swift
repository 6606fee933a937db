/// Checks that the changes of one save become visible together.
extension World {
  /// Checks, after a device's complete import, that pairs, and groups that fit into a request, are
  /// complete or absent.
  func checkTogether(_ device: SimulatedDevice) async throws {
    let check = ContentsCheck(device: device.name, contents: try await device.contents())
    add(check.incompletePairs(except: acknowledged.purge.halves))
    if keepsGroups { add(check.parts) }
  }

  /// Checks the same on the server, for the objects of a device.
  ///
  /// - Parameter keys: The device's objects that the server has.
  func checkTogetherOnServer(_ keys: [String]) {
    add(ContentsCheck.incompletePairs(of: ContentsCheck.halves(of: keys), on: "the server"))
    add(
      ContentsCheck.parts(
        of: Dictionary(uniqueKeysWithValues: keys.map { ($0, "") }), on: "the server"))
  }

  /// Checks, after all devices are complete, that groups that were split are complete too.
  func checkWhole(_ device: SimulatedDevice, _ contents: DeviceContents) {
    let check = ContentsCheck(device: device.name, contents: contents)
    add(check.incompletePairs())
    if keepsGroups { add(check.parts + check.remains) }
  }

  /// Whether groups stay together: after the zone is deleted, devices batch its objects by number,
  /// not by save.
  private var keepsGroups: Bool { !plan.faults.contains(.zone) }
}
