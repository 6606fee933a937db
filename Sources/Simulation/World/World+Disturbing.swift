import CloudKitTesting

/// Faults outside the network.
extension World {
  /// Injects a fault into a device, or into the whole world.
  func disturb(_ device: SimulatedDevice) async throws {
    var disturbances: [InjectedEvent] = []
    if plan.workload.losesStores { disturbances += [.loss, .loss] }
    if plan.workload.purges { disturbances += [.purge, .purge] }
    if plan.workload.encrypts { disturbances.append(.keys) }
    if plan.workload.changesAccounts { disturbances += [.visit, .visit, .visit] }
    if plan.workload.isPublic { disturbances += [.day, .day, .day, .visit, .visit] }
    if plan.workload.changesModel { disturbances += [.update, .update, .deployment, .deployment] }
    for (fault, disturbance) in InjectedEvent.byFault where plan.faults.contains(fault) {
      disturbances.append(disturbance)
    }
    guard !disturbances.isEmpty else { return }
    try await happen(disturbances[generator.below(disturbances.count)], device)
  }

  private enum InjectedEvent: String {
    case crash, time, skew, late, quota, expiry, zone, disk, power, purge, keys, visit, day, loss,
      update, deployment

    static let byFault: [(SimulatedFaults, InjectedEvent)] = [
      (.crash, .crash), (.clock, .time), (.clock, .skew), (.late, .late), (.quota, .quota),
      (.expiry, .expiry),
      (.zone, .zone), (.disk, .disk), (.power, .power),
    ]
  }

  private func happen(_ disturbance: InjectedEvent, _ device: SimulatedDevice) async throws {
    switch disturbance {
    case .crash: try await device.restart()
    case .time: try await cloud.advance(by: .seconds(generator.below(7_200)))
    case .skew: device.skew = Double(generator.below(1_200) - 600)
    case .late:
      let count = await device.network.deliverLate()
      push(toAllBut: nil)
      note("\(count) late requests of \(device.name) arrive")
    case .quota: device.network.hasNoRoom.toggle()
    case .expiry: try await cloud.advance(by: .seconds(SimulationLimits.secondsUntilTokensExpire))
    case .zone:
      guard generator.isOnce(in: 4), !plan.workload.isPublic else { return }
      try await recordPurge()
      if plan.workload.encrypts, generator.isOnce(in: 2) {
        try await view.resetSecrets()
        note("the user resets the encrypted data")
      } else {
        try await view.deleteZone()
      }
      people?.noteDeletedHomeZone()
      push(toAllBut: nil)
    case .purge:
      guard generator.isOnce(in: 2) else { return }
      try await recordPurge()
      try await view.deleteZone()
      push(toAllBut: nil)
    case .keys: try await giveKeys(device)
    case .visit: try await visit(device)
    case .day: try await cloud.advance(by: .seconds(SimulationLimits.secondsUntilNamesCompared))
    case .power: try await device.losePower()
    case .disk: try device.setDiskFull(!device.isDiskFull)
    case .update: try await update(device)
    case .deployment: if deployed == .first { try await deploy(.second) }
    case .loss:
      guard try device.pendingCount() == 0 else { return }
      try await device.lose()
    }
    note("\(device.name): \(disturbance.rawValue)")
  }
}
