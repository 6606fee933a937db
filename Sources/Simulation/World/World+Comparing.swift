import CloudMirroring
import MirrorModel

/// The end of a world: new devices that fetch everything must agree with all others.
extension World {
  func compare() async throws {
    var truths: [(owner: String, contents: DeviceContents)] = []
    for account in plan.accounts {
      let names = try await recordNames(of: account)
      let truth = try await observe(for: account)
      truths.append((account, truth))
      for device in devices where device.owner == account {
        try await compare(device, with: truth, names)
      }
    }
    for (pair, count) in try await view.pairs().sorted(by: { $0.key < $1.key }) where count > 1 {
      violate(.once, "The server has \(count) records of the pair \(pair).")
    }
    try await checkSecrets()
    if plan.workload.keepsDrafts { try await checkDraftsOnServer() }
    if let people { return try await people.compare(truths) }
    let truth = DeviceContents(truths)
    checkAcknowledgedWrites(against: truth)
    for line in truth.lines { note("has \(line)") }
  }

  /// Starts a new device of a user, and returns its content after it has fetched everything.
  private func observe(for account: String) async throws -> DeviceContents {
    let name = account == World.user ? "Observer" : "Observer-\(account)"
    let observer = try makeDevice(name, devices.count, of: account, isWhole: true)
    devices.append(observer)
    try await observer.start()
    if let recoveryCode { try await observer.restoreKeys(by: recoveryCode) }
    var count = 0
    try observer.note(.asked)
    while count < SimulationLimits.stepsInRound, try await advance(observer) != nil { count += 1 }
    return try await observer.contents()
  }

  /// Compares the part of a device's content that its user may read.
  private func compare(_ device: SimulatedDevice, with truth: DeviceContents, _ names: Set<String>)
    async throws
  {
    let everything = try await device.contents()
    let contents = comparable(everything, of: device, truth)
    if let difference = contents.difference(from: truth) {
      violate(.convergence, "\(device.name) differs from the server: \(difference)")
    }
    if Set(try device.durableNames(contents).values) != names {
      violate(
        .convergence, "\(device.name) has objects whose records are not those of the server."
      )
    }
    add(ContentsCheck(device: device.name, contents: everything).violations)
    if plan.workload == .contributions { checkContributions(device, contents, as: truth) }
    if plan.workload.savesTogether { checkWhole(device, contents) }
    if plan.workload.isPublic { try checkPermissions(device, everything) }
    if plan.workload.keepsDrafts { checkDrafts(device, everything) }
  }

  /// The part of a device's content that must be equal everywhere.
  private func comparable(
    _ contents: DeviceContents, of device: SimulatedDevice, _ truth: DeviceContents
  ) -> DeviceContents {
    if plan.workload.keepsDrafts { return contents.without(contents.drafts) }
    guard plan.workload.isPublic else { return contents }
    let readable = contents.readable(by: device.owner)
    return readable.without(undetectableDeletions(readable, on: device, truth))
  }

  /// Checks the final content against the acknowledged saves, as far as the faults permit.
  private func checkAcknowledgedWrites(against truth: DeviceContents) {
    let isHarmless = plan.faults.isSubset(of: .harmless)
    // A public database has no zone to delete.
    let isPurged = (plan.faults.contains(.zone) && !plan.workload.isPublic) || plan.workload.purges
    // A store that was lost after its zone was purged may have had the only copy.
    if !plan.workload.mergesObjects, !(isPurged && plan.workload.losesStores) {
      add(
        acknowledged.removals == 0
          ? acknowledged.lost(in: truth) : acknowledged.lostAfterPurge(in: truth))
    }
    if isPurged, plan.faults.isSubset(of: [.harmless, .zone]), !plan.workload.mergesObjects,
      !plan.workload.losesStores
    {
      add(acknowledged.wrongAfterPurge(in: truth))
    }
    // The first device to fill an emptied zone may not know a newer value, and nothing orders the
    // two values.
    if !plan.workload.mergesObjects, !isPurged {
      add(acknowledged.wrongValues(in: truth, isStrict: isHarmless))
    }
    if !isPurged { add(acknowledged.correspondence.violations(in: truth)) }
    if isHarmless, !isPurged {
      let visited = Set(devices.filter { $0.users.count > 1 }.map(\.name))
      add(
        acknowledged.resurrected(in: truth) + acknowledged.withoutOwner(in: truth, visited: visited)
          + acknowledged.wrongOrders(in: truth))
    }
  }
}
